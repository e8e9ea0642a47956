# libpq, the client library of PostgreSQL: defines LibPq::LibPq and LibPq_FOUND. CMake's own module asks for headers of
# the server, too.
find_path(LibPq_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
find_library(LibPq_LIBRARY pq)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibPq REQUIRED_VARS LibPq_LIBRARY LibPq_INCLUDE_DIR)
if(LibPq_FOUND AND NOT TARGET LibPq::LibPq)
    add_library(LibPq::LibPq UNKNOWN IMPORTED)
    set_target_properties(LibPq::LibPq PROPERTIES
        IMPORTED_LOCATION ${LibPq_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${LibPq_INCLUDE_DIR})
endif()
mark_as_advanced(LibPq_INCLUDE_DIR LibPq_LIBRARY)
