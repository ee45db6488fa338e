# turgor_embed(TARGET NAME FILES…): a header NAME.hpp with `std::span<const EmbeddedFile> NAME()`, the text of all files by
# their names (base/embedded.hpp), so that the program works from anywhere.
function(turgor_embed target name)
    set(entries "")
    foreach(file IN LISTS ARGN)
        get_filename_component(short ${file} NAME)
        file(READ ${file} text)
        string(APPEND entries "    {\"${short}\", R\"embedded(${text})embedded\"},\n")
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
    file(CONFIGURE OUTPUT ${folder}/${name}.hpp @ONLY CONTENT
        "#pragma once\n#include \"base/embedded.hpp\"\nnamespace turgor {\nstd::span<const EmbeddedFile> ${name}();\n}\n")
    file(CONFIGURE OUTPUT ${folder}/${name}.cpp @ONLY CONTENT
        "#include \"${name}.hpp\"\nnamespace turgor {\nstatic constexpr EmbeddedFile files[] = {\n${entries}};\nstd::span<const EmbeddedFile> ${name}() { return files; }\n}\n")
    target_sources(${target} PRIVATE ${folder}/${name}.cpp)
    target_include_directories(${target} PRIVATE ${folder})
endfunction()
