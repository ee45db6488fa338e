# turgor_embed(TARGET NAME FILES…): a header NAME.hpp with `std::span<const EmbeddedFile> NAME()`, the text of all
# files by their names (base/embedded.hpp), so that the program works from anywhere.
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
"#pragma once
#include \"base/embedded.hpp\"
namespace turgor {
std::span<const EmbeddedFile> ${name}();
}
")
    file(CONFIGURE OUTPUT ${folder}/${name}.cpp @ONLY CONTENT
"#include \"${name}.hpp\"
namespace turgor {
static constexpr EmbeddedFile files[] = {
${entries}};
std::span<const EmbeddedFile> ${name}() { return files; }
}
")
    target_sources(${target} PRIVATE ${folder}/${name}.cpp)
    target_include_directories(${target} PRIVATE ${folder})
endfunction()
