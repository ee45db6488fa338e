# Every folder below src/ is a room: an object library that all of its .cpp files belong to. libturgor is the sum of
# the rooms.

add_library(turgor_settings INTERFACE)
target_compile_features(turgor_settings INTERFACE cxx_std_20)
target_include_directories(turgor_settings INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# The same bits on every machine: no contraction to fused multiply-add behind our back.
target_compile_options(turgor_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror -ffp-contract=off)

# Asserts of the library's own are for those who build Turgor itself (base/assert.hpp).
if(NOT PROJECT_IS_TOP_LEVEL)
    target_compile_definitions(turgor_settings INTERFACE TURGOR_NO_ASSERTS)
endif()

add_library(turgor_sanitizers INTERFACE)
if(TURGOR_SANITIZE)
    target_compile_options(turgor_sanitizers INTERFACE -fsanitize=${TURGOR_SANITIZE}
        -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(turgor_settings INTERFACE -fsanitize=${TURGOR_SANITIZE})
endif()

# For what the cpu back end is made of. Highway's portable target is our "scalar"; what g++ 12.2 miscompiles in it,
# products of 16-bit numbers, we do not use.
add_library(turgor_simd INTERFACE)
target_link_libraries(turgor_simd INTERFACE hwy::hwy)
target_compile_definitions(turgor_simd INTERFACE HWY_BROKEN_EMU128=0)
if(TURGOR_SANITIZE)
    # What UBSan adds to these kernels, all inlined, takes g++ more than ten minutes and gigabytes to compile.
    target_compile_options(turgor_simd INTERFACE -fno-sanitize=undefined)
endif()
if(TURGOR_SHORT)
    target_compile_definitions(turgor_simd INTERFACE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL)")
endif()

# What needs files, other programs, threads or a newer standard library. A browser has none of them:
# bindings/web/native/host.cpp stands in.
set(needs_a_system base/file_output base/thread_pool base/parse_number mesh/read_source_file mesh/save
    body/bake_cache scene/text_file scene/package_mesh)

# turgor_room(NAME FOLDER [libraries that only its own .cpp files use])
function(turgor_room name folder)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
    if(TURGOR_WASM)
        list(TRANSFORM needs_a_system REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1.cpp" OUTPUT_VARIABLE left_out)
        list(REMOVE_ITEM sources ${left_out})
    endif()
    add_library(turgor_${name} OBJECT ${sources})
    set_target_properties(turgor_${name} PROPERTIES POSITION_INDEPENDENT_CODE ${TURGOR_RELOCATABLE})
    # A short build watches what runs on threads, not what prepares it.
    set(sanitized SANITIZED)
    if(TURGOR_SHORT AND name MATCHES "mesh|body")
        set(sanitized)
    else()
        target_link_libraries(turgor_${name} PRIVATE turgor_sanitizers)
    endif()
    target_link_libraries(turgor_${name} PRIVATE turgor_settings ${ARGN})
    if("OpenCL::OpenCL" IN_LIST ARGN)
        turgor_precompile(turgor_${name} device_rooms ${sanitized} RELOCATABLE LIBRARIES OpenCL::OpenCL
                          HEADERS ${PROJECT_SOURCE_DIR}/src/device/opencl.hpp)
    else()
        turgor_precompile(turgor_${name} rooms ${sanitized} RELOCATABLE)
    endif()
    set_property(GLOBAL APPEND PROPERTY TURGOR_ROOMS turgor_${name})
endfunction()

# turgor_test(NAME FOLDER [libraries]): one program of all the .cpp files in tests/FOLDER.
function(turgor_test name folder)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
    add_executable(test_${name} ${sources})
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    # Builds faster; the library itself stays fast.
    target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    target_link_libraries(test_${name} PRIVATE turgor_settings turgor_sanitizers ${ARGN} GTest::gtest_main)
    turgor_precompile(test_${name} tests SANITIZED LIBRARIES GTest::gtest HEADERS <gtest/gtest.h>)
    target_compile_definitions(test_${name} PRIVATE
        TURGOR_SHARED_MESHES="${PROJECT_SOURCE_DIR}/../shared/meshes")
    gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
