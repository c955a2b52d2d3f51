# Builds the dashboard's page with npm, once for all build folders of a source tree, and writes it as a C++ source:
#   cmake -DPAGE=web/ui -DOPENAPI=docs/openapi.yaml -DSHARED=build/page -DOUT=page/dashboard_files.cpp -DDONE=done
#         -DNO_PAGE=web/no_dashboard.cpp -DNODE=/usr/bin/node -DNPM=/usr/bin/npm -P BuildPage.cmake
#
# SHARED/<hash of the sources> has the bundle and the source. It is built under a lock, so that parallel builds wait for it.
# If npm cannot install the packages, OUT is a copy of NO_PAGE, the reason is printed, and the build goes on. DONE is then not
# written, so that the next build tries again. An error in the page's own sources fails the build.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/PageFiles.cmake)

set(retry_after 600) # seconds after a failure of npm, in which other builds do not wait for it again
set(install_limit 600) # seconds

# Sets OUT to a hash of what the page is made of.
function(hash_of_sources out)
    page_sources(files ${PAGE})
    list(SORT files)
    set(all "")
    foreach(file ${files} ${OPENAPI})
        file(SHA256 ${file} hash)
        file(RELATIVE_PATH name ${PAGE} ${file})
        string(APPEND all "${name} ${hash}\n")
    endforeach()
    string(SHA256 hash "${all}")
    string(SUBSTRING ${hash} 0 16 hash)
    set(${out} ${hash} PARENT_SCOPE)
endfunction()

# Runs a program in the page's folder, with the folders of npm and node in front of the path.
function(run_in_page status output)
    cmake_path(GET NPM PARENT_PATH npm_folder)
    cmake_path(GET NODE PARENT_PATH node_folder)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env --modify PATH=path_list_prepend:${node_folder} --modify
                PATH=path_list_prepend:${npm_folder} ${ARGN}
        WORKING_DIRECTORY ${PAGE} TIMEOUT ${install_limit}
        RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
    set(${status} ${result} PARENT_SCOPE)
    set(${output} "${text}" PARENT_SCOPE)
endfunction()

# Sets OUT to the reason why the packages are not there, or to nothing. They are installed if the lock file has changed.
function(install_packages out)
    set(${out} "" PARENT_SCOPE)
    file(SHA256 ${PAGE}/package-lock.json wanted)
    set(mark ${PAGE}/node_modules/.installed_for_build)
    if(EXISTS ${mark})
        file(READ ${mark} installed)
        if(installed STREQUAL wanted)
            return()
        endif()
    endif()
    message(STATUS "page: npm installs what the dashboard is built from")
    run_in_page(status text ${NPM} ci --no-fund --no-audit --prefer-offline --fetch-retries=1
        --fetch-retry-mintimeout=1000 --fetch-timeout=60000)
    if(NOT status EQUAL 0)
        string(REGEX MATCHALL "npm (ERR!|error) [^\n]*" lines "${text}")
        list(SUBLIST lines 0 4 lines)
        list(JOIN lines ", " lines)
        set(${out} "`npm ci` failed (${status}): ${lines}" PARENT_SCOPE)
        return()
    endif()
    # Packages with programs for this machine load only if npm found them for it.
    run_in_page(status text ${NODE} --input-type=module -e "await import('vite')")
    if(NOT status EQUAL 0)
        set(${out} "the packages do not load on this machine: ${text}" PARENT_SCOPE)
        return()
    endif()
    file(WRITE ${mark} ${wanted})
endfunction()

# Sets OUT as install_packages() does, but does not ask npm again soon after a failure with the same lock file.
function(install_packages_unless_just_failed out)
    set(note ${SHARED}/failure)
    string(TIMESTAMP now "%s" UTC)
    file(SHA256 ${PAGE}/package-lock.json wanted)
    if(EXISTS ${note})
        file(STRINGS ${note} lines)
        list(POP_FRONT lines at of)
        math(EXPR until "${at} + ${retry_after}")
        if(of STREQUAL wanted AND now LESS until)
            set(${out} "${lines} (npm is asked again after ten minutes, or when ${note} is removed)" PARENT_SCOPE)
            return()
        endif()
        file(REMOVE ${note})
    endif()
    install_packages(reason)
    if(reason)
        file(WRITE ${note} "${now}\n${wanted}\n${reason}\n")
    endif()
    set(${out} "${reason}" PARENT_SCOPE)
endfunction()

# Builds the bundle into FOLDER.
function(build_page folder)
    message(STATUS "page: building the dashboard")
    run_in_page(status text ${NPM} run --silent build)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "the dashboard's own sources do not build (npm run build in ${PAGE}):\n${text}")
    endif()
    file(REMOVE_RECURSE ${folder} ${folder}.new)
    run_in_page(status text ${NODE} pack.mjs ${folder}.new)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "the dashboard's bundle cannot be packed (pack.mjs in ${PAGE}):\n${text}")
    endif()
    file(RENAME ${folder}.new ${folder})
endfunction()

# Only the newest bundles are kept: a branch and the one before it.
function(remove_old_bundles)
    file(GLOB bundles LIST_DIRECTORIES true ${SHARED}/bundle-*)
    list(LENGTH bundles many)
    if(many LESS 6)
        return()
    endif()
    foreach(bundle ${bundles})
        if(NOT bundle STREQUAL "${SHARED}/bundle-${hash}")
            file(REMOVE_RECURSE ${bundle})
        endif()
    endforeach()
endfunction()

file(MAKE_DIRECTORY ${SHARED})
file(LOCK ${SHARED}/lock GUARD PROCESS)
hash_of_sources(hash)
set(bundle ${SHARED}/bundle-${hash})
if(NOT EXISTS ${bundle}/files.cpp.in)
    install_packages_unless_just_failed(reason)
    if(reason)
        page_is_missing("${reason}" "connect this machine to a registry of npm packages, or set BATON_UI=OFF")
        configure_file(${NO_PAGE} ${OUT} COPYONLY)
        return()
    endif()
    build_page(${bundle})
    remove_old_bundles()
endif()
write_page(${bundle} ${OUT})
file(TOUCH ${DONE})
