# OpenCC without a CMake package of its own: defines OpenCC::OpenCC and OpenCC_FOUND.
find_path(OpenCC_INCLUDE_DIR opencc/opencc.h)
find_library(OpenCC_LIBRARY opencc)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCC REQUIRED_VARS OpenCC_LIBRARY OpenCC_INCLUDE_DIR)
if(OpenCC_FOUND AND NOT TARGET OpenCC::OpenCC)
    add_library(OpenCC::OpenCC UNKNOWN IMPORTED)
    set_target_properties(OpenCC::OpenCC PROPERTIES
        IMPORTED_LOCATION ${OpenCC_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${OpenCC_INCLUDE_DIR})
endif()
mark_as_advanced(OpenCC_INCLUDE_DIR OpenCC_LIBRARY)
