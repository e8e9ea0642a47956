# `cmake --install`: the command, the library with its headers, and a package for find_package(weft). Where llama.cpp
# is the one that set-up built it is installed with it, so that the package does not point into a cache.

include(CMakePackageConfigHelpers)

set(weft_package ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

install(TARGETS weft_text weft_store weft_flow weft_growth weft_agent weft_engine EXPORT weft ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT weft NAMESPACE weft:: DESTINATION ${weft_package} FILE weft-targets.cmake)
if(TARGET weft)
    install(TARGETS weft RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
    install(TARGETS weft_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT command)
    install(FILES ${PROJECT_SOURCE_DIR}/include/weft.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT command)
endif()

# The embedding model, which is found from where the program stands; an installed Weft needs no network. The chat models
# that tests use stay out.
set(weft_embedder ${WEFT_CACHE}/models/multilingual-e5-small-q4.gguf)
if(TARGET weft)
    install(FILES ${weft_embedder} DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/models COMPONENT command OPTIONAL)
    install(CODE "if(NOT EXISTS \"${weft_embedder}\")
        message(WARNING \"${weft_embedder} is not there (`make setup` brings it): what is installed searches words alone\")
    endif()" COMPONENT command)
endif()

# Its two folders by name: `current` is a symbolic link, and installing it would install the link.
install(DIRECTORY ${WEFT_CACHE}/llama/current/lib ${WEFT_CACHE}/llama/current/include
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft/llama PATTERN pkgconfig EXCLUDE)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weft-config.cmake.in
    ${PROJECT_BINARY_DIR}/weft-config.cmake INSTALL_DESTINATION ${weft_package} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/weft-config.cmake ${PROJECT_BINARY_DIR}/weft-config-version.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindOpenCC.cmake ${PROJECT_SOURCE_DIR}/cmake/FindXxHash.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindStemmer.cmake ${PROJECT_SOURCE_DIR}/cmake/FindLibPq.cmake
    DESTINATION ${weft_package})
