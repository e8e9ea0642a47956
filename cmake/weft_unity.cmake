# Sources of a target that can be compiled as one file are: most of their time goes into headers that they share.
# tools/unity_groups.py says which, so that no source can see what another keeps to itself.

find_package(Python3 QUIET COMPONENTS Interpreter)
option(WEFT_UNITY "compile neighbouring sources as one file: half the time of a whole build, more after a small change" ON)
if(WEFT_UNITY AND NOT Python3_FOUND)
    message(STATUS "python3 is missing: each source is compiled alone, which takes twice as long")
endif()

function(weft_unity target)
    if(NOT WEFT_UNITY OR NOT Python3_FOUND)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cpp$")
    execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/unity_groups.py ${sources}
        OUTPUT_VARIABLE rows OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE ";" "|" rows "${rows}")
    string(REPLACE "\n" ";" rows "${rows}")
    foreach(row IN LISTS rows)
        string(REGEX MATCH "^([0-9]+)\\|(.*)$" row "${row}")
        set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${target}_${CMAKE_MATCH_1})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
