# `cpack -G DEB`: the command with the embedding model, libweft.so with weft.h, and a systemd unit. What the command links is found by
# dpkg-shlibdeps where it is there.
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VENDOR "The Weft authors")
set(CPACK_PACKAGE_CONTACT "The Weft authors <weft@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Memory and context engine for LLM agents")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/postinst)

install(FILES ${PROJECT_SOURCE_DIR}/packaging/systemd/weft.service DESTINATION lib/systemd/system COMPONENT command)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/systemd/weft.toml DESTINATION ${CMAKE_INSTALL_DATADIR}/weft COMPONENT command)
include(CPack)
