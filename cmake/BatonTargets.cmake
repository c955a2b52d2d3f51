# Each folder is a library with an alias. The unit tests of a folder are one executable, or two; each other suite is one.

# baton_library(NAME base SOURCES a.cpp LINKS baton::x PRIVATE_LINKS y)   ->   target baton_base, alias baton::base
function(baton_library)
    cmake_parse_arguments(arg "" "NAME" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
    string(REPLACE "-" "_" target baton_${arg_NAME})
    add_library(${target} STATIC ${arg_SOURCES})
    add_library(baton::${arg_NAME} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME} POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
    target_link_libraries(${target} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS} $<BUILD_INTERFACE:baton_options>)
    baton_precompile(${target})
endfunction()

# baton_test(NAME cron_test LABEL unit SOURCES a.cpp LINKS baton::x [GROUP schedule] [THREADS] [STORES] [TIMEOUT 300]
#     [ALSO_ON mysql9 galera | ONLY_ON galera])
# A test is a Catch2 executable, or one of the sources of the executable that the tests of a GROUP share: compiled together
# they take half as long. The target tests_LABEL builds the executables of a label.
# STORES: the test uses the private MariaDB of the test run; its sessions have threads. THREADS: it has other threads.
# ALSO_ON: further runs keep on another server what the first keeps on MariaDB: cron_on_mysql9, with the label mysql9. They
# are shown as skipped where that server is not installed. ONLY_ON: there is no run on MariaDB.
function(baton_test)
    cmake_parse_arguments(arg "THREADS;STORES" "NAME;LABEL;TIMEOUT;ONLY_ON;GROUP" "SOURCES;LINKS;ALSO_ON" ${ARGN})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    set(labels ${arg_LABEL})
    if(arg_STORES)
        list(APPEND labels stores)
    endif()
    if(arg_STORES OR arg_THREADS)
        list(APPEND labels threads)
    endif()
    set(executable ${arg_NAME})
    set(command ${arg_NAME})
    if(arg_GROUP)
        # ThreadSanitizer builds only what has threads.
        set(executable ${arg_GROUP}_tests)
        if("threads" IN_LIST labels)
            set(executable ${arg_GROUP}_threads_tests)
        endif()
        baton_tests_of_sources(specification ${arg_SOURCES})
        set(command ${executable} --filenames-as-tags --warn NoTests ${specification})
    endif()
    baton_test_executable(${executable} SOURCES ${arg_SOURCES} LINKS ${arg_LINKS})
    if(arg_ONLY_ON)
        baton_test_on(${arg_ONLY_ON} ${arg_NAME} ${arg_TIMEOUT} ${command})
        return()
    endif()
    add_test(NAME ${arg_NAME} COMMAND ${command})
    set_tests_properties(${arg_NAME} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT})
    if(arg_LABEL STREQUAL "simulation")
        # The longest tests start first, so that none of them runs alone at the end.
        set_tests_properties(${arg_NAME} PROPERTIES COST 1000)
    endif()
    foreach(label ${labels})
        baton_tests_run(${label} ${executable})
    endforeach()
    if(NOT "threads" IN_LIST labels AND NOT arg_LABEL STREQUAL "simulation")
        baton_expect_no_threads(${arg_NAME} "${arg_SOURCES}")
    endif()
    foreach(server ${arg_ALSO_ON})
        string(REGEX REPLACE "_test$" "_on_${server}" name ${arg_NAME})
        baton_test_on(${server} ${name} ${arg_TIMEOUT} ${command})
    endforeach()
endfunction()

# An executable of tests; a second call adds sources and libraries to it.
function(baton_test_executable name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
    if(NOT TARGET ${name})
        add_executable(${name})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
        target_link_libraries(${name} PRIVATE baton::test_main baton_options)
        baton_precompile(${name} baton_test_pch)
    endif()
    list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    get_target_property(present ${name} SOURCES)
    list(REMOVE_ITEM arg_SOURCES ${present})
    target_sources(${name} PRIVATE ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LINKS})
endfunction()

# Sets OUT to Catch2's specification of the tests in the sources, less those that run only if they are asked for. A file's
# name is a tag of its tests.
function(baton_tests_of_sources out)
    list(FILTER ARGN INCLUDE REGEX "_test\\.cpp$")
    list(TRANSFORM ARGN REPLACE "^.*/" "")
    list(TRANSFORM ARGN REPLACE "^(.*)\\.cpp$" "[#\\1]~[.]")
    list(JOIN ARGN "," specification)
    set(${out} ${specification} PARENT_SCOPE)
endfunction()

# baton_cluster_test(name COMMAND...): a test with real processes, which waits more than it computes. CTest runs several
# of them beside each other. The target tests_cluster builds their programs.
function(baton_cluster_test name)
    add_test(NAME ${name} COMMAND ${BATON_PYTHON} ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS cluster TIMEOUT 240 SKIP_RETURN_CODE 77
        ENVIRONMENT BATON_BUILD=${PROJECT_BINARY_DIR})
endfunction()

function(baton_tests_run label executable)
    if(NOT TARGET tests_${label})
        add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${executable})
endfunction()

# ThreadSanitizer runs only the tests with the label threads.
function(baton_expect_no_threads name sources)
    foreach(source ${sources})
        file(STRINGS ${source} found REGEX "#include (<thread>|\".*(fake_node|tests/support/stores)\\.hpp\")")
        if(found)
            message(FATAL_ERROR "${name} has threads (${found}): baton_test(... THREADS ...)")
        endif()
    endforeach()
endfunction()

function(baton_test_on server name timeout)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${server} TIMEOUT ${timeout} SKIP_RETURN_CODE 77
        ENVIRONMENT BATON_TEST_ON=${server})
endfunction()

# Asio and the JSON library dominate compile time, so all targets share one precompiled header. Tests have another, with
# Catch2: baton_precompile(TARGET baton_test_pch).
function(baton_precompile target)
    set(from ${ARGN} baton_pch)
    list(GET from 0 from)
    target_precompile_headers(${target} REUSE_FROM ${from})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:baton_pch_usage>)
    # A precompiled header serves only code compiled like itself, executables included.
    target_compile_options(${target} PRIVATE -fPIC)
endfunction()
