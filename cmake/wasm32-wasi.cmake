# WebAssembly for browsers and node, with Debian's clang-19, lld-19, wasi-libc and libc++ (see scripts/packages.sh).
# SIMD of 128 bits; exceptions as of the first wasm proposal, which every browser since 2022 and node since 17 runs.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -mbulk-memory -mnontrapping-fptoint -msign-ext -fwasm-exceptions")
# What a test program would need to link is supplied by bindings/web.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(TURGOR_WASM ON)
