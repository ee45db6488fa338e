# Debian's packages bring their headers and libraries for this machine. The headers of these do for WebAssembly as
# well; the compiler finds them in its own last folder.
set(TURGOR_RELOCATABLE OFF)
foreach(name fmt::fmt nlohmann_json::nlohmann_json hwy::hwy Threads::Threads)
    add_library(${name} INTERFACE IMPORTED)
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_STATIC_THOUSANDS_SEPARATOR=',')
target_compile_definitions(hwy::hwy INTERFACE HWY_COMPILE_ONLY_STATIC)
