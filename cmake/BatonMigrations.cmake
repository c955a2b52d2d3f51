# baton_embed_migrations(OUT SCHEMA folder NAMESPACE baton::storage FUNCTION migration_files)
# Sets OUT to a generated source with the SQL files of the folder, so that migrations travel inside the program.
function(baton_embed_migrations out)
    cmake_parse_arguments(arg "" "SCHEMA;NAMESPACE;FUNCTION" "" ${ARGN})
    file(GLOB migrations CONFIGURE_DEPENDS ${arg_SCHEMA}/*/*.sql)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/${arg_FUNCTION}.cpp)
    add_custom_command(OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -DROOT=${arg_SCHEMA} -DOUT=${generated} -DNAMESPACE=${arg_NAMESPACE}
                -DFUNCTION=${arg_FUNCTION} -P ${PROJECT_SOURCE_DIR}/cmake/EmbedMigrations.cmake
        DEPENDS ${migrations} ${PROJECT_SOURCE_DIR}/cmake/EmbedMigrations.cmake
        VERBATIM)
    set(${out} ${generated} PARENT_SCOPE)
endfunction()
