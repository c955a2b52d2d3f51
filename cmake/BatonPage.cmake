# baton_page(OUT PAGE folder): sets OUT to a generated source with the files of the dashboard, which npm builds from PAGE.
# Without npm, or with BATON_UI=OFF, OUT is a source that has no files.
include(PageFiles)

set(BATON_NODE_LEAST 18.20)
# The folder in which scripts/setup puts npm where the system has none.
set(baton_npm_folders $ENV{BATON_NPM_HOME}/bin /var/cache/baton/npm/bin $ENV{XDG_CACHE_HOME}/baton/npm/bin
    $ENV{HOME}/.cache/baton/npm/bin)

# Sets OUT to the reason why this machine cannot build the page, or to nothing.
function(baton_page_obstacle out)
    set(${out} "" PARENT_SCOPE)
    find_program(BATON_NODE NAMES node nodejs)
    find_program(BATON_NPM npm PATHS ${baton_npm_folders})
    if(NOT BATON_NODE)
        set(${out} "node is not installed" PARENT_SCOPE)
    elseif(NOT BATON_NPM)
        set(${out} "npm is not installed" PARENT_SCOPE)
    else()
        execute_process(COMMAND ${BATON_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(REPLACE "v" "" version "${version}")
        if(version VERSION_LESS BATON_NODE_LEAST)
            set(${out} "${BATON_NODE} has version ${version}, and the page needs ${BATON_NODE_LEAST}" PARENT_SCOPE)
        endif()
    endif()
endfunction()

function(baton_page out)
    cmake_parse_arguments(arg "" "PAGE" "" ${ARGN})
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/page/dashboard_files.cpp)
    set(no_page ${PROJECT_SOURCE_DIR}/web/no_dashboard.cpp)
    set(${out} ${generated} PARENT_SCOPE)
    set(obstacle "")
    if(BATON_UI)
        baton_page_obstacle(obstacle)
        if(obstacle)
            page_is_missing("${obstacle}" "scripts/setup installs Node and npm on Debian 12; or set BATON_UI=OFF")
        endif()
    endif()
    if(NOT BATON_UI OR obstacle)
        file(REMOVE ${generated})
        set(${out} ${no_page} PARENT_SCOPE)
        return()
    endif()
    page_sources(sources ${arg_PAGE} CONFIGURE_DEPENDS)
    set(openapi ${PROJECT_SOURCE_DIR}/docs/openapi.yaml)
    set(done ${CMAKE_CURRENT_BINARY_DIR}/page/done)
    add_custom_command(OUTPUT ${generated} ${done}
        COMMAND ${CMAKE_COMMAND} -DPAGE=${arg_PAGE} -DOPENAPI=${openapi} -DSHARED=${BATON_PAGE_FOLDER} -DOUT=${generated}
                -DDONE=${done} -DNO_PAGE=${no_page} -DNODE=${BATON_NODE} -DNPM=${BATON_NPM}
                -P ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
        DEPENDS ${sources} ${openapi} ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
                ${PROJECT_SOURCE_DIR}/cmake/PageFiles.cmake
        COMMENT "Building the dashboard's page" VERBATIM)
endfunction()
