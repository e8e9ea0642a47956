# libweft.so: the functions of weft.h, for programs in other languages. Nothing else of the library shows.
add_library(weft_shared SHARED ${PROJECT_SOURCE_DIR}/apps/libweft/libweft.cpp)
set_target_properties(weft_shared PROPERTIES
    OUTPUT_NAME weft VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib CXX_VISIBILITY_PRESET hidden)
target_compile_definitions(weft_shared PRIVATE WEFT_VERSION="${PROJECT_VERSION}")
target_link_options(weft_shared PRIVATE LINKER:--no-undefined
    LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/weft_shared.map)
weft_use_layer(weft_shared weft_surface)
target_include_directories(weft_shared PRIVATE ${PROJECT_SOURCE_DIR}/include)
