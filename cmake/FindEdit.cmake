# libedit, the line editor, without a CMake package of its own: defines Edit::Edit and Edit_FOUND.
find_path(Edit_INCLUDE_DIR histedit.h)
find_library(Edit_LIBRARY edit)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Edit REQUIRED_VARS Edit_LIBRARY Edit_INCLUDE_DIR)
if(Edit_FOUND AND NOT TARGET Edit::Edit)
    add_library(Edit::Edit UNKNOWN IMPORTED)
    set_target_properties(Edit::Edit PROPERTIES
        IMPORTED_LOCATION ${Edit_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${Edit_INCLUDE_DIR})
endif()
mark_as_advanced(Edit_INCLUDE_DIR Edit_LIBRARY)
