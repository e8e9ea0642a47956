# weft_bench: micro-benchmarks. What users measure is `weft bench`; this is for work on a single function.
file(GLOB weft_bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
find_package(benchmark QUIET)
if(weft_bench_sources AND benchmark_FOUND)
    add_executable(weft_bench ${weft_bench_sources})
    weft_use_layer(weft_bench weft_command)
    target_link_libraries(weft_bench PRIVATE benchmark::benchmark)
endif()
