# Compiler settings of our own code. Release is -O2 without debug information; what needs more (vector
# arithmetic) chooses its instructions in the code, so that one program runs on every processor.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
# -Og compiles as fast as -O0 here, and the tests then take a third of the time.
set(CMAKE_CXX_FLAGS_SANITIZE "-Og -g1 -fno-omit-frame-pointer")

set(CMAKE_CXX_FLAGS_COVERAGE "-O0 --coverage")
set(CMAKE_EXE_LINKER_FLAGS_COVERAGE "--coverage")

# ccache with paths relative to the checkout: several checkouts share their objects.
find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${WEFT_CCACHE})
endif()

if(WEFT_SANITIZE)
    add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${WEFT_SANITIZE})
    # A null pointer that is used stops the program anyway, and the address sanitizer knows the bounds of objects: their
    # checks before each access made a third of the code and a fifth of the time to compile it.
    if(WEFT_SANITIZE MATCHES "address,undefined")
        add_compile_options(-fno-sanitize=null,alignment,object-size,nonnull-attribute,returns-nonnull-attribute)
    endif()
endif()

# The flags that every target of ours gets.
function(weft_compile_options target)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough
        $<$<BOOL:${WEFT_WERROR}>:-Werror>
        # g++ 12 takes "literal" + std::string for overlapping memory (GCC bug 105651), and loses track of
        # optionals in coroutines and variants.
        $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>
        # The compiler looks for memory to give back only when it holds 512 MB: a sixteenth of its time less.
        $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
        target_compile_options(${target} PRIVATE -Wthread-safety)
    endif()
    if(WEFT_SANITIZE STREQUAL thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        # The thread sanitizer announces each fence in a header of others.
        target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
endfunction()

# A program or test of ours that stands behind a layer and sees its private headers, too.
function(weft_use_layer target layer)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE ${layer})
    weft_compile_options(${target})
endfunction()

# A list of sources that may not exist yet still makes a library.
function(weft_or_empty list)
    if(NOT ${list})
        file(WRITE ${PROJECT_BINARY_DIR}/empty.cpp "")
        set(${list} ${PROJECT_BINARY_DIR}/empty.cpp PARENT_SCOPE)
    endif()
endfunction()
