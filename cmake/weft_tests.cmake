# Tests by label: `unit` (fast, no model), `crash` (an engine that is killed), `model` (needs the models of set-up), `e2e`
# (the program as users run it), `install` (the examples against an installed Weft). `ctest -L unit` runs one kind.

enable_testing()
find_package(GTest QUIET)
if(NOT GTest_FOUND)
    message(FATAL_ERROR "Missing: GoogleTest, for the tests.\n"
        "`make setup-tests` brings everything; or: apt-get install libgtest-dev libgmock-dev\n")
endif()
include(GoogleTest)

set(weft_test_python ${WEFT_CACHE}/venv/bin/python)
if(NOT EXISTS ${weft_test_python})
    set(weft_test_python ${Python3_EXECUTABLE})
endif()
set(weft_test_environment
    WEFT_CACHE=${WEFT_CACHE}
    WEFT_SOURCE_DIR=${PROJECT_SOURCE_DIR}
    WEFT_BINARY=${PROJECT_BINARY_DIR}/weft
    WEFT_NODE_MODULES=${WEFT_CACHE}/node/node_modules)

# The fakes and helpers that all kinds share.
file(GLOB weft_support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.cpp)
weft_or_empty(weft_support_sources)
add_library(weft_test_support STATIC ${weft_support_sources})
target_include_directories(weft_test_support PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
target_link_libraries(weft_test_support
    PUBLIC GTest::gtest GTest::gmock PRIVATE LibPq::LibPq Boost::headers nlohmann_json::nlohmann_json XxHash::XxHash)
weft_compile_options(weft_test_support)

# The program sees the layer and those before it, nothing else.
function(weft_add_test_program name layer)
    set(sources ${ARGN})
    weft_or_empty(sources)
    add_executable(${name} ${sources})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_definitions(${name} PRIVATE WEFT_TEST_DATA="${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${name} PRIVATE weft_test_support GTest::gtest_main)
    weft_use_layer(${name} ${layer})
    weft_unity(${name})
endfunction()

# A server of PostgreSQL for the tests that need one; without it they are passed over.
set(weft_postgres_url ${PROJECT_BINARY_DIR}/postgres.url)
foreach(step start stop)
    add_test(NAME postgres.${step}
        COMMAND ${weft_test_python} ${PROJECT_SOURCE_DIR}/tests/support/postgres.py ${step} ${weft_postgres_url})
endforeach()
set_tests_properties(postgres.start PROPERTIES FIXTURES_SETUP postgres)
set_tests_properties(postgres.stop PROPERTIES FIXTURES_CLEANUP postgres)

# Under a sanitizer a test takes up to thirty times as long: fewer rounds, more patience.
set(weft_unit_timeout 120)
set(weft_unit_environment ${weft_test_environment} WEFT_TEST_POSTGRES=${weft_postgres_url})
if(WEFT_SANITIZE)
    set(weft_unit_timeout 300)
endif()
# Labels, patience and environment of the tests of a program. gtest_discover_tests has no way for values that are lists:
# it takes each element for a property.
function(weft_describe_tests program labels)
    set(script ${PROJECT_BINARY_DIR}/${program}_properties.cmake)
    file(WRITE ${script} "foreach(test IN LISTS ${program}_TESTS)
    set_tests_properties(\"\${test}\" PROPERTIES
        LABELS \"${labels}\" TIMEOUT ${weft_unit_timeout} ENVIRONMENT \"${weft_unit_environment}\")
    if(test MATCHES \"/postgresql\")
        set_tests_properties(\"\${test}\" PROPERTIES FIXTURES_REQUIRED postgres)
    endif()
endforeach()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# `ninja weft_text_tests && build/tests/weft_text_tests` is the way from a change in text/ to its tests.
add_custom_target(weft_unit_tests)
file(GLOB weft_contract_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/contract/*.cpp)
foreach(layer ${weft_layers})
    get_target_property(sources weft_${layer} weft_test_sources)
    if(layer STREQUAL store)
        list(APPEND sources ${weft_contract_sources})
    endif()
    weft_add_test_program(weft_${layer}_tests weft_${layer} ${sources})
    # The command is one of the surfaces, though a library of its own.
    set(labels unit ${layer})
    if(layer STREQUAL command)
        list(APPEND labels surface)
    endif()
    add_dependencies(weft_unit_tests weft_${layer}_tests)
    gtest_discover_tests(weft_${layer}_tests DISCOVERY_MODE PRE_TEST)
    weft_describe_tests(weft_${layer}_tests "${labels}")
endforeach()

# A hundred thousand operations are too many among the unit tests.
if(NOT WEFT_SANITIZE)
    add_test(NAME isolation COMMAND weft_engine_tests --gtest_filter=Isolation.*)
    set_tests_properties(isolation PROPERTIES LABELS long TIMEOUT 900 ENVIRONMENT "WEFT_OPERATIONS=102400")
endif()

# Processes that are killed at named steps, and a model of what they must have kept.
file(GLOB weft_crash_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/crash/*.cpp)
weft_add_test_program(weft_crash_tests weft_engine ${weft_crash_sources})
gtest_discover_tests(weft_crash_tests DISCOVERY_MODE PRE_TEST)
weft_describe_tests(weft_crash_tests "crash")

# One process for all of them: loading a model takes a second.
file(GLOB weft_model_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/model/*.cpp)
weft_add_test_program(weft_model_tests weft_command ${weft_model_sources})
add_test(NAME model COMMAND ${PROJECT_SOURCE_DIR}/cmake/run_with_models.sh $<TARGET_FILE:weft_model_tests>)
set_tests_properties(model PROPERTIES
    LABELS model TIMEOUT 600 SKIP_RETURN_CODE 77 ENVIRONMENT "${weft_test_environment}")

# tests/{e2e,scenarios,cluster,browser}/test_*.py: each file is one test and is run as a program; other files there are their helpers.
# A scenario is a journey of a user and asserts what the model would see; e2e holds the tests of clients and of the program.
if(TARGET weft)
    foreach(kind e2e scenarios cluster browser)
        file(GLOB weft_program_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${kind}/test_*.py)
        foreach(file ${weft_program_tests})
            get_filename_component(name ${file} NAME_WE)
            add_test(NAME ${kind}.${name} COMMAND ${weft_test_python} ${file})
            set_tests_properties(${kind}.${name} PROPERTIES
                LABELS ${kind} TIMEOUT 600 SKIP_RETURN_CODE 77 ENVIRONMENT "${weft_test_environment}")
        endforeach()
    endforeach()
endif()

add_test(NAME fit COMMAND ${weft_test_python} ${PROJECT_SOURCE_DIR}/tests/tools/test_fit.py)
set_tests_properties(fit PROPERTIES
    LABELS unit SKIP_RETURN_CODE 77 ENVIRONMENT "${weft_test_environment};OMP_NUM_THREADS=1")

add_test(NAME unity_groups COMMAND ${weft_test_python} ${PROJECT_SOURCE_DIR}/tests/tools/test_unity_groups.py)
set_tests_properties(unity_groups PROPERTIES LABELS unit ENVIRONMENT "${weft_test_environment}")

foreach(check layers requirements)
    add_test(NAME ${check} COMMAND ${weft_test_python} ${PROJECT_SOURCE_DIR}/tools/check_${check}.py)
    set_tests_properties(${check} PROPERTIES LABELS unit WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()

file(GLOB weft_examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
if(weft_examples AND NOT WEFT_SANITIZE)
    add_test(NAME install.examples COMMAND ${CMAKE_COMMAND}
        -DWEFT_BUILD=${PROJECT_BINARY_DIR} -DWEFT_EXAMPLES=${PROJECT_SOURCE_DIR}/examples
        -DWEFT_CONSUMER=${PROJECT_SOURCE_DIR}/cmake/consumer -DWEFT_BUILD_TYPE=${CMAKE_BUILD_TYPE}
        -P ${PROJECT_SOURCE_DIR}/cmake/test_install.cmake)
    set_tests_properties(install.examples PROPERTIES
        LABELS install TIMEOUT 600 ENVIRONMENT "${weft_test_environment}")
endif()
