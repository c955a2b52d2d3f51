# One library a folder, one alias a library, one executable a test file.

# baton_library(NAME base SOURCES a.cpp LINKS baton::x PRIVATE_LINKS y)   ->   target baton_base, alias baton::base
function(baton_library)
    cmake_parse_arguments(arg "NO_PCH" "NAME" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
    string(REPLACE "-" "_" target baton_${arg_NAME})
    add_library(${target} STATIC ${arg_SOURCES})
    add_library(baton::${arg_NAME} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME} POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
    target_link_libraries(${target} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS} $<BUILD_INTERFACE:baton_options>)
    baton_precompile(${target} "${arg_NO_PCH}")
endfunction()

# baton_test(NAME cron_test LABEL unit SOURCES a.cpp LINKS baton::x [STORES] [ALSO_ON_GALERA | ON_GALERA])
# Every test file is a Catch2 executable of its own; `STORES` gives it the private MariaDB of the test run.
# `ALSO_ON_GALERA` runs it a second time with what it keeps on MySQL on the Galera cluster of the test run, `ON_GALERA`
# only so. These are shown as skipped where Galera is not installed.
function(baton_test)
    cmake_parse_arguments(arg "STORES;ALSO_ON_GALERA;ON_GALERA" "NAME;LABEL;TIMEOUT" "SOURCES;LINKS" ${ARGN})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    add_executable(${arg_NAME} ${arg_SOURCES})
    set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(${arg_NAME} PRIVATE ${arg_LINKS} baton::test_main baton_options)
    baton_precompile(${arg_NAME} FALSE)
    if(arg_ON_GALERA)
        baton_test_on_galera(${arg_NAME} ${arg_NAME} ${arg_TIMEOUT})
        return()
    endif()
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
    set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT})
    if(arg_STORES)
        set_property(TEST ${arg_NAME} APPEND PROPERTY LABELS stores)
    endif()
    if(arg_ALSO_ON_GALERA)
        string(REGEX REPLACE "_test$" "_on_galera" name ${arg_NAME})
        baton_test_on_galera(${name} ${arg_NAME} ${arg_TIMEOUT})
    endif()
endfunction()

function(baton_test_on_galera name executable timeout)
    add_test(NAME ${name} COMMAND ${executable})
    set_tests_properties(${name} PROPERTIES LABELS galera TIMEOUT ${timeout} SKIP_RETURN_CODE 77
        ENVIRONMENT BATON_TEST_ON=galera)
endfunction()

# Asio and the JSON library dominate compile time, so all targets share one precompiled header.
function(baton_precompile target without)
    if(without)
        return()
    endif()
    if(TARGET baton_pch AND NOT target STREQUAL "baton_pch")
        target_precompile_headers(${target} REUSE_FROM baton_pch)
        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:baton_pch_usage>)
        # A precompiled header serves only code compiled like itself, executables included.
        target_compile_options(${target} PRIVATE -fPIC)
    endif()
endfunction()
