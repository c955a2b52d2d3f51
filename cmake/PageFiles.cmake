# How the dashboard's bundle becomes a C++ source of a build, with and without a bundle.

# Sets OUT to the sources of the page. Further words go to file(GLOB_RECURSE).
function(page_sources out page)
    file(GLOB_RECURSE files ${ARGN} ${page}/src/* ${page}/public/*)
    list(FILTER files EXCLUDE REGEX "schema\\.gen\\.ts$")
    foreach(name .npmrc index.html pack.mjs package.json package-lock.json preload_first.ts still_shell.ts tsconfig.json
            vite.config.ts)
        list(APPEND files ${page}/${name})
    endforeach()
    set(${out} ${files} PARENT_SCOPE)
endfunction()

# Says in one line why the program gets no page. scripts/build repeats the line.
function(page_is_missing reason remedy)
    message(NOTICE "warning: the program is built WITHOUT the dashboard, and REST and the command line stay whole. "
        "Reason: ${reason}. Remedy: ${remedy}.")
endfunction()

# Copies a bundle beside OUT, and writes OUT, which embeds the copy: the bundle's own folder may be removed.
function(write_page bundle out)
    cmake_path(GET out PARENT_PATH FOLDER)
    cmake_path(GET bundle FILENAME BUNDLE)
    file(REMOVE_RECURSE ${FOLDER}/bytes)
    file(COPY ${bundle}/bytes DESTINATION ${FOLDER})
    configure_file(${bundle}/files.cpp.in ${out} @ONLY)
endfunction()
