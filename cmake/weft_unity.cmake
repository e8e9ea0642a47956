# Sources of a target that can be compiled as one file are: most of their time goes into headers that they share.
# tools/unity_groups.py says which, so that no source can see what another keeps to itself.

find_package(Python3 QUIET COMPONENTS Interpreter)
option(WEFT_UNITY "compile neighbouring sources as one file: half the time of a whole build, more after a small change" ON)
if(WEFT_UNITY AND NOT Python3_FOUND)
    message(STATUS "python3 is missing: each source is compiled alone, which takes twice as long")
endif()

# Its sources may be compiled together; `weft_group_sources` does so for all targets at once.
function(weft_unity target)
    set_property(GLOBAL APPEND PROPERTY weft_unity_targets ${target})
endfunction()

function(weft_group_sources)
    get_property(targets GLOBAL PROPERTY weft_unity_targets)
    if(NOT WEFT_UNITY OR NOT Python3_FOUND OR NOT targets)
        return()
    endif()
    set(asked "")
    foreach(target ${targets})
        get_target_property(sources ${target} SOURCES)
        foreach(source ${sources})
            cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${source}" generated)
            if(source MATCHES "\\.cpp$" AND NOT generated)
                string(APPEND asked "${target}\t${source}\n")
            endif()
        endforeach()
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    endforeach()
    file(WRITE ${PROJECT_BINARY_DIR}/sources.txt "${asked}")
    execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/unity_groups.py
        INPUT_FILE ${PROJECT_BINARY_DIR}/sources.txt OUTPUT_FILE ${PROJECT_BINARY_DIR}/groups.txt COMMAND_ERROR_IS_FATAL ANY)
    file(STRINGS ${PROJECT_BINARY_DIR}/groups.txt rows)
    foreach(row IN LISTS rows)
        string(REGEX MATCH "^([^\t]+)\t(.+)$" row "${row}")
        set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
    endforeach()
endfunction()
