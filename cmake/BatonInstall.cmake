# The components of `cmake --install`: the SDK as a CMake package (component "sdk"), the locks as a part of that package
# (component "locks", which needs "sdk"), and the program with its documents and example configurations (component "program"). An
# outside project then says find_package(baton) and links baton::client, or find_package(baton COMPONENTS locks) and
# links baton::lock.
#
# The SDK's headers need only the standard library and nlohmann/json. Its static libraries were compiled against Boost,
# which is headers alone, so a project that links them needs libsimdjson, libspdlog and libcrypto but neither Boost nor
# a database. The locks need SOCI, and the clients of Redis and ZooKeeper where they were built with them.

include(CMakePackageConfigHelpers)

if(TARGET baton_client)
    target_compile_features(baton_client INTERFACE cxx_std_20)
    # Within the build these come with the precompiled header, which is not installed.
    target_link_libraries(baton_base INTERFACE
        $<INSTALL_INTERFACE:$<LINK_ONLY:spdlog::spdlog>> $<INSTALL_INTERFACE:$<LINK_ONLY:Threads::Threads>>)

    set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/baton)
    install(TARGETS baton_pch baton_base baton_protocol baton_http baton_client EXPORT batonTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
    install(DIRECTORY client-sdk/include/baton DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sdk
        FILES_MATCHING PATTERN "*.hpp")
    install(EXPORT batonTargets NAMESPACE baton:: DESTINATION ${package_dir} COMPONENT sdk)
    configure_package_config_file(cmake/batonConfig.cmake.in ${PROJECT_BINARY_DIR}/batonConfig.cmake
        INSTALL_DESTINATION ${package_dir})
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/batonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/batonConfig.cmake ${PROJECT_BINARY_DIR}/batonConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT sdk)
endif()

if(TARGET baton_lock)
    target_compile_features(baton_lock INTERFACE cxx_std_20)
    install(TARGETS baton_lock_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT locks)
    install(TARGETS baton_storage baton_lock EXPORT batonLocksTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT locks)
    install(DIRECTORY locks/include/baton DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT locks
        FILES_MATCHING PATTERN "*.hpp")
    install(EXPORT batonLocksTargets NAMESPACE baton:: DESTINATION ${package_dir} COMPONENT locks)
    install(FILES cmake/FindSOCI.cmake cmake/FindHiredis.cmake cmake/FindZooKeeper.cmake
        DESTINATION ${package_dir} COMPONENT locks)
endif()

if(TARGET baton_cli)
    install(TARGETS baton_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    install(DIRECTORY config/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/baton/config COMPONENT program)
    install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/baton COMPONENT program
        FILES_MATCHING PATTERN "*.md" PATTERN "openapi.yaml" PATTERN figures EXCLUDE PATTERN screenshots EXCLUDE)
endif()
