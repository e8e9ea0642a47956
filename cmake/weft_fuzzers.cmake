# fuzz/NAME.cpp becomes the program fuzz_NAME and a test that runs it for WEFT_FUZZ_SECONDS, starting from the inputs
# in fuzz/corpus/NAME where there are any. It links the last of the layers that its includes name, with those before:
# none needs the command or the evaluation, so that these are not built for it. Needs clang.

set(WEFT_FUZZ_SECONDS 60 CACHE STRING "how long the test of one fuzzer runs")
enable_testing()
foreach(layer ${weft_layers})
    target_compile_options(weft_${layer} PRIVATE -fsanitize=fuzzer-no-link,address,undefined -g1 -O1)
endforeach()

# weft_fuzz_layer(SOURCE OUT): the last layer of which the source includes something.
function(weft_fuzz_layer source out)
    file(STRINGS ${source} includes REGEX "^#include \"")
    set(last text)
    foreach(pair "model/ store" "ports/ store" "weft/ store" "flow/ flow" "growth/ growth" "agent/ agent" "engine/ engine"
                 "weft/engine.h engine" "surface/[abd-z] surface")
        string(REPLACE " " ";" pair ${pair})
        list(GET pair 0 folder)
        list(GET pair 1 layer)
        if("${includes}" MATCHES "\"${folder}")
            set(last ${layer})
        endif()
    endforeach()
    set(${out} ${last} PARENT_SCOPE)
endfunction()

file(GLOB weft_fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.cpp)
foreach(source ${weft_fuzz_sources})
    get_filename_component(name ${source} NAME_WE)
    weft_fuzz_layer(${source} layer)
    # One file of the command stands by itself.
    set(alone "")
    if(name STREQUAL command_frames)
        set(alone ${PROJECT_SOURCE_DIR}/src/surface/cli/beside/frames.cpp)
    endif()
    add_executable(fuzz_${name} ${source} ${alone})
    weft_use_layer(fuzz_${name} weft_${layer})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined -g1 -O1)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
    set(corpus ${PROJECT_BINARY_DIR}/corpus/${name})
    file(MAKE_DIRECTORY ${corpus})
    set(seeds ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
    if(NOT EXISTS ${seeds})
        set(seeds "")
    endif()
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} -max_total_time=${WEFT_FUZZ_SECONDS} -timeout=10
        -rss_limit_mb=2048 -print_final_stats=1 ${corpus} ${seeds})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz)
endforeach()
