# Grammar and template parts of llama.cpp's `common`, installed by tools/setup/llama.sh beside llama itself.

get_filename_component(_weft_llama_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_weft_llama_prefix "${_weft_llama_lib}/.." ABSOLUTE)

include(CMakeFindDependencyMacro)
find_dependency(llama HINTS ${_weft_llama_lib}/cmake)

if(NOT TARGET weft_llama_common)
    add_library(weft_llama_common STATIC IMPORTED)
    set_target_properties(weft_llama_common PROPERTIES
        IMPORTED_LOCATION ${_weft_llama_lib}/libweft_llama_common.a
        INTERFACE_INCLUDE_DIRECTORIES ${_weft_llama_prefix}/include/llama-common
        INTERFACE_LINK_LIBRARIES llama)
endif()
