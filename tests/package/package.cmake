# cmake -D build=.. -D consumer=.. -D work=.. -D components=.. -D compiler=.. [-D sanitize=..] [-D program=..]
# -P package.cmake
file(REMOVE_RECURSE ${work})
set(flags "")
if(sanitize)
    set(flags "-fsanitize=${sanitize}")
endif()

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component ${components})
    run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component ${component})
endforeach()
run(${CMAKE_COMMAND} -G Ninja -S ${consumer} -B ${work}/build -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${work}/build)
if(program)
    run(${CMAKE_COMMAND} -E chdir ${work} ${work}/build/${program})
endif()
