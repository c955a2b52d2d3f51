# The C client of ZooKeeper, with threads; Debian ships no CMake package for it.
#   ZooKeeper::zookeeper_mt

find_library(ZOOKEEPER_LIBRARY zookeeper_mt)
find_path(ZOOKEEPER_INCLUDE_DIR zookeeper/zookeeper.h)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ZooKeeper REQUIRED_VARS ZOOKEEPER_LIBRARY ZOOKEEPER_INCLUDE_DIR)

if(ZooKeeper_FOUND AND NOT TARGET ZooKeeper::zookeeper_mt)
    add_library(ZooKeeper::zookeeper_mt UNKNOWN IMPORTED)
    set_target_properties(ZooKeeper::zookeeper_mt PROPERTIES
        IMPORTED_LOCATION ${ZOOKEEPER_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${ZOOKEEPER_INCLUDE_DIR})
endif()
