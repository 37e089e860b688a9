# The library, its one header, and how CMake and pkg-config find them.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dnspack)
install(TARGETS dnspack EXPORT dnspack FILE_SET HEADERS)
install(EXPORT dnspack FILE dnspack-config.cmake NAMESPACE dnspack:: DESTINATION ${package_dir})
write_basic_package_version_file(dnspack-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dnspack-config-version.cmake DESTINATION ${package_dir})

configure_file(dnspack.pc.in dnspack.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dnspack.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET dnspack_tool)
    install(TARGETS dnspack_tool)
endif()
