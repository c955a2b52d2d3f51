# SOCI with its MySQL and SQLite back ends; Debian ships no CMake package for it.
#   SOCI::core SOCI::mysql SOCI::sqlite3

find_path(SOCI_INCLUDE_DIR soci/soci.h)
find_path(SOCI_MYSQL_CLIENT_INCLUDE_DIR mysql.h PATH_SUFFIXES mariadb mysql)
find_path(SOCI_SQLITE_CLIENT_INCLUDE_DIR sqlite3.h)
find_library(SOCI_CORE_LIBRARY soci_core)
find_library(SOCI_MYSQL_LIBRARY soci_mysql)
find_library(SOCI_SQLITE3_LIBRARY soci_sqlite3)
find_library(SOCI_MYSQL_CLIENT_LIBRARY NAMES mariadb mysqlclient)
find_library(SOCI_SQLITE_CLIENT_LIBRARY sqlite3)

if(SOCI_INCLUDE_DIR AND EXISTS ${SOCI_INCLUDE_DIR}/soci/version.h)
    file(STRINGS ${SOCI_INCLUDE_DIR}/soci/version.h soci_version_line REGEX "define SOCI_LIB_VERSION \"")
    string(REGEX REPLACE ".*\"([0-9]+)_([0-9]+)_?([0-9]*)\".*" "\\1.\\2.\\3" SOCI_VERSION "${soci_version_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SOCI
    REQUIRED_VARS SOCI_CORE_LIBRARY SOCI_MYSQL_LIBRARY SOCI_SQLITE3_LIBRARY SOCI_INCLUDE_DIR
                  SOCI_MYSQL_CLIENT_INCLUDE_DIR SOCI_MYSQL_CLIENT_LIBRARY
                  SOCI_SQLITE_CLIENT_INCLUDE_DIR SOCI_SQLITE_CLIENT_LIBRARY
    VERSION_VAR SOCI_VERSION)

if(SOCI_FOUND AND NOT TARGET SOCI::core)
    foreach(part core mysql sqlite3)
        string(TOUPPER ${part} upper)
        add_library(SOCI::${part} UNKNOWN IMPORTED)
        set_target_properties(SOCI::${part} PROPERTIES
            IMPORTED_LOCATION ${SOCI_${upper}_LIBRARY}
            INTERFACE_INCLUDE_DIRECTORIES ${SOCI_INCLUDE_DIR})
    endforeach()
    set_property(TARGET SOCI::mysql APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${SOCI_MYSQL_CLIENT_INCLUDE_DIR})
    set_property(TARGET SOCI::mysql PROPERTY INTERFACE_LINK_LIBRARIES SOCI::core ${SOCI_MYSQL_CLIENT_LIBRARY})
    set_property(TARGET SOCI::sqlite3 PROPERTY INTERFACE_LINK_LIBRARIES SOCI::core ${SOCI_SQLITE_CLIENT_LIBRARY})
endif()
