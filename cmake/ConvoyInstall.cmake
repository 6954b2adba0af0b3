# The SDK target, and what `cmake --install` puts where. Component sdk: what plug-in authors need.

include(CMakePackageConfigHelpers)

add_library(convoy_sdk INTERFACE)
add_library(convoy::sdk ALIAS convoy_sdk)
set_target_properties(convoy_sdk PROPERTIES EXPORT_NAME sdk)
target_compile_features(convoy_sdk INTERFACE cxx_std_20)
target_include_directories(convoy_sdk INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/core/include> $<INSTALL_INTERFACE:include>)

set(package_directory lib/cmake/convoy)
install(TARGETS convoy_sdk EXPORT convoy-targets COMPONENT sdk)
install(EXPORT convoy-targets NAMESPACE convoy:: DESTINATION ${package_directory}
        COMPONENT sdk)
install(DIRECTORY core/include/convoy DESTINATION include COMPONENT sdk)
configure_package_config_file(cmake/convoy-config.cmake.in ${PROJECT_BINARY_DIR}/convoy-config.cmake
  INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/convoy-config-version.cmake
  COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/convoy-config.cmake
              ${PROJECT_BINARY_DIR}/convoy-config-version.cmake
              cmake/ConvoyPlugin.cmake cmake/convoy_plugin.map
        DESTINATION ${package_directory} COMPONENT sdk)
# Pages for users come with the program, those for authors of plug-ins with the SDK.
set(user_pages training.md reports.md plan.svg qualify.md several_hosts.md simulation.md strategies.md)
list(TRANSFORM user_pages PREPEND share/docs/ OUTPUT_VARIABLE user_page_files)
install(FILES ${user_page_files} DESTINATION share/convoy/docs)
install(FILES share/certificates.sh DESTINATION share/convoy)
list(JOIN user_pages "|" user_page_names)
install(DIRECTORY share/templates share/docs share/examples share/cluster DESTINATION share/convoy COMPONENT sdk
        REGEX "/docs/(${user_page_names})$" EXCLUDE)
# The build tree has the installed shape, so that the program looks in one place only.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/convoy)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/share/templates ${PROJECT_BINARY_DIR}/share/convoy/templates
     SYMBOLIC)

# The program is defined in a subdirectory, after this file: look for it when all are read.
function(convoy_install_program)
  if(TARGET convoy)
    install(TARGETS convoy RUNTIME DESTINATION bin)
  endif()
endfunction()
cmake_language(DEFER CALL convoy_install_program)
