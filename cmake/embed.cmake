# turgor_embed(TARGET NAME FILES…): a header NAME.hpp with `std::string_view NAME(std::string_view file)`, the text of each file by
# its name, so that the program works from anywhere.
function(turgor_embed target name)
    set(entries "")
    foreach(file IN LISTS ARGN)
        get_filename_component(short ${file} NAME)
        file(READ ${file} text)
        string(APPEND entries "    if (file == \"${short}\") return R\"embedded(${text})embedded\";\n")
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
    file(CONFIGURE OUTPUT ${folder}/${name}.hpp @ONLY CONTENT
        "#pragma once\n#include <string_view>\nnamespace turgor {\nstd::string_view ${name}(std::string_view file);\n}\n")
    file(CONFIGURE OUTPUT ${folder}/${name}.cpp @ONLY CONTENT
        "#include \"${name}.hpp\"\nnamespace turgor {\nstd::string_view ${name}(std::string_view file) {\n${entries}    return {};\n}\n}\n")
    target_sources(${target} PRIVATE ${folder}/${name}.cpp)
    target_include_directories(${target} PRIVATE ${folder})
endfunction()
