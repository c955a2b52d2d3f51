# The reader of zone files (RFC 8536).
#   Cctz::cctz

find_library(CCTZ_LIBRARY cctz)
find_path(CCTZ_INCLUDE_DIR cctz/zone_info_source.h)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cctz REQUIRED_VARS CCTZ_LIBRARY CCTZ_INCLUDE_DIR)

if(Cctz_FOUND AND NOT TARGET Cctz::cctz)
    add_library(Cctz::cctz UNKNOWN IMPORTED)
    set_target_properties(Cctz::cctz PROPERTIES
        IMPORTED_LOCATION ${CCTZ_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${CCTZ_INCLUDE_DIR})
endif()
