# The reader of iCalendar files (RFC 5545).
#   LibIcal::ical

find_library(LIBICAL_LIBRARY ical)
find_path(LIBICAL_INCLUDE_DIR libical/ical.h)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibIcal REQUIRED_VARS LIBICAL_LIBRARY LIBICAL_INCLUDE_DIR)

if(LibIcal_FOUND AND NOT TARGET LibIcal::ical)
    add_library(LibIcal::ical UNKNOWN IMPORTED)
    set_target_properties(LibIcal::ical PROPERTIES
        IMPORTED_LOCATION ${LIBICAL_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${LIBICAL_INCLUDE_DIR})
endif()
