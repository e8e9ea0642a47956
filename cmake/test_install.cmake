# Installs Weft into a scratch folder, builds the examples against it as a stranger would, and runs each of them in
# an empty folder. Run by ctest with WEFT_BUILD, WEFT_EXAMPLES, WEFT_CONSUMER and WEFT_BUILD_TYPE.

set(scratch ${WEFT_BUILD}/install-test)
file(REMOVE_RECURSE ${scratch})

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
    if(failed)
        list(JOIN ARGN " " line)
        message(FATAL_ERROR "failed (${failed}): ${line}")
    endif()
endfunction()

step(${CMAKE_COMMAND} --install ${WEFT_BUILD} --prefix ${scratch}/prefix)
step(${CMAKE_COMMAND} -S ${WEFT_CONSUMER} -B ${scratch}/build -G Ninja -DCMAKE_BUILD_TYPE=${WEFT_BUILD_TYPE}
    -DCMAKE_PREFIX_PATH=${scratch}/prefix -DWEFT_EXAMPLES=${WEFT_EXAMPLES})
step(${CMAKE_COMMAND} --build ${scratch}/build)

file(GLOB examples ${WEFT_EXAMPLES}/*.cpp)
foreach(source ${examples})
    get_filename_component(name ${source} NAME_WE)
    file(MAKE_DIRECTORY ${scratch}/run/${name})
    execute_process(COMMAND ${scratch}/build/${name} WORKING_DIRECTORY ${scratch}/run/${name} RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "example ${name} failed (${failed})")
    endif()
endforeach()
if(EXISTS ${scratch}/prefix/bin/weft)
    step(${scratch}/prefix/bin/weft --version)
endif()
