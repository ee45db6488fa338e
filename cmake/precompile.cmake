# Standard headers are parsed once for each kind of target, not once for each source: that halves what a clean build
# takes. Sources include what they use all the same; a build without this (-DTURGOR_PRECOMPILE=OFF, and the one for
# browsers) shows it.
option(TURGOR_PRECOMPILE "Precompile the headers that most sources include" ON)
if(TURGOR_WASM OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(TURGOR_PRECOMPILE OFF)
endif()
set(precompiled_standard <algorithm> <array> <atomic> <bit> <chrono> <cmath> <cstdint> <cstdio> <cstring> <filesystem>
    <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <string> <string_view>
    <thread> <utility> <variant> <vector> <fmt/format.h>)

# turgor_precompile(TARGET KIND [libraries and headers of that kind]): targets of a kind share one precompiled header.
# KIND names what the compiler insists on being alike: code of libraries and of programs, sanitized or not.
function(turgor_precompile target kind)
    if(NOT TURGOR_PRECOMPILE)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 2 of "SANITIZED;RELOCATABLE" "" "LIBRARIES;HEADERS")
    set(shared turgor_precompiled_${kind})
    if(of_SANITIZED AND TURGOR_SANITIZE)
        string(APPEND shared _sanitized)
    endif()
    if(NOT TARGET ${shared})
        set(source ${PROJECT_BINARY_DIR}/precompiled/${shared}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT "")
        add_library(${shared} OBJECT ${source})
        target_link_libraries(${shared} PRIVATE turgor_settings fmt::fmt ${of_LIBRARIES})
        if(of_SANITIZED)
            target_link_libraries(${shared} PRIVATE turgor_sanitizers)
        endif()
        set_target_properties(${shared} PROPERTIES POSITION_INDEPENDENT_CODE ${of_RELOCATABLE})
        target_precompile_headers(${shared} PRIVATE ${precompiled_standard} ${of_HEADERS})
    endif()
    # What the headers were read with, all their users need.
    target_link_libraries(${target} PRIVATE fmt::fmt)
    target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()
