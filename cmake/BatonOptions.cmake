# Compile options: language level, warnings, sanitizers, compiler cache.

option(BATON_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(BATON_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(BATON_SDK_ONLY "Build and install the client SDK alone; needs no database library" OFF)
option(BATON_UI "Build the dashboard with npm. Without npm, or a registry of packages, the program is built without it" ON)
set(BATON_PAGE_FOLDER ${PROJECT_SOURCE_DIR}/build/page CACHE PATH "Where the dashboard is built, for all build folders")
option(BATON_UNITY "Compile a target's sources several at a time: a clean build takes half the time, a small change longer" OFF)
set(BATON_UNITY_BATCH 8 CACHE STRING "How many sources BATON_UNITY compiles at a time")
set(CMAKE_UNITY_BUILD ${BATON_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE ${BATON_UNITY_BATCH})
option(BATON_LINES "Keep the lines of stack traces" ON)
set(BATON_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize= (address,undefined or thread)")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(BATON_CCACHE ccache)
if(BATON_CCACHE)
    # Precompiled headers are cached only with these relaxations.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${BATON_CCACHE})
endif()

# A hundred test executables are linked in a tenth of the time that the usual linker takes.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold BATON_LINKS_WITH_MOLD)
if(BATON_LINKS_WITH_MOLD)
    add_link_options(-fuse-ld=mold)
endif()

# Used by every target of the project, but not exported to users of the SDK.
add_library(baton_options INTERFACE)
target_compile_options(baton_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 reports these inside its own coroutine frames and inlined standard containers.
    target_compile_options(baton_options INTERFACE
        -Wduplicated-cond
        -fcoroutines -Wno-maybe-uninitialized -Wno-dangling-pointer -Wno-restrict -Wno-stringop-overflow
        -Wno-stringop-overread -Wno-array-bounds -Wno-use-after-free -Wno-mismatched-new-delete)
endif()

if(BATON_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A coroutine's frame holds what is local to its source, which to g++ 12 looks like a header's when included.
    target_compile_options(baton_options INTERFACE -Wno-subobject-linkage)
endif()

if(NOT BATON_LINES)
    add_compile_options(-g0)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ spends a tenth of its time on the collection of its own garbage, which a machine with memory can spare: a source
    # takes up to 2 GiB then.
    cmake_host_system_information(RESULT baton_memory QUERY TOTAL_PHYSICAL_MEMORY) # MiB
    cmake_host_system_information(RESULT baton_cores QUERY NUMBER_OF_LOGICAL_CORES)
    math(EXPR baton_memory_of_core "${baton_memory} / ${baton_cores}")
    if(baton_memory_of_core GREATER_EQUAL 4000)
        add_compile_options(--param=ggc-min-heapsize=2000000 --param=ggc-min-expand=1000)
    endif()
endif()

if(BATON_SANITIZE)
    add_compile_options(-fsanitize=${BATON_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${BATON_SANITIZE})
    if(BATON_SANITIZE MATCHES "undefined")
        # SOCI's shared library hides its type information, so the vptr check does not link.
        # AddressSanitizer reports an access through a null pointer too, and x86 reads what is not aligned: these two checks
        # are a fifth of the build's time and two fifths of its size.
        add_compile_options(-fno-sanitize=vptr,null,alignment -fno-sanitize-recover=undefined)
        add_link_options(-fno-sanitize=vptr)
        if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
            add_compile_options(-fno-sanitize=function)
            add_link_options(-fno-sanitize=function)
        endif()
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Instrumented, g++ 12 no longer sees that Asio's coroutine frames are freed as they were allocated.
        target_compile_options(baton_options INTERFACE -Wno-mismatched-new-delete)
    endif()
    if(BATON_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(baton_options INTERFACE -Wno-tsan)
    endif()
endif()
