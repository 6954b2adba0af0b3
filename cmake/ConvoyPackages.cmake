# Debian packages, made by share/package.sh: `convoy` (program, plug-ins, the library for programs of
# others, manual, completion) and `libconvoy-dev` (headers, CMake package, templates, examples).

# The author of the commits; whoever publishes packages sets their own.
set(CONVOY_PACKAGE_CONTACT
    "convoy maintainers <maintainers@users.noreply.a-seed-26da0325.example>" CACHE STRING
    "Who answers for the Debian packages")
string(TIMESTAMP CONVOY_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog ${PROJECT_BINARY_DIR}/package/changelog)
configure_file(share/package/changelog.in ${changelog} @ONLY)
find_program(CONVOY_GZIP gzip)
if(CONVOY_GZIP)
  execute_process(COMMAND ${CONVOY_GZIP} -9nkf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
  install(FILES share/package/copyright ${changelog}.gz DESTINATION share/doc/convoy
          COMPONENT program)
  install(FILES share/package/copyright ${changelog}.gz DESTINATION share/doc/libconvoy-dev
          COMPONENT sdk)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME convoy)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${CONVOY_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_VENDOR "convoy")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program engine engine_dev sdk)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_PROGRAM_GROUP program)
set(CPACK_COMPONENT_ENGINE_GROUP program)
set(CPACK_COMPONENT_ENGINE_DEV_GROUP dev)
set(CPACK_COMPONENT_SDK_GROUP dev)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME convoy)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/share/package/triggers)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libconvoy-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "convoy (= ${PROJECT_VERSION}), g++, cmake")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"trains convolutional networks on several devices at once
 convoy trains on CPUs and NVIDIA GPUs of one or several hosts and measures
 the speed. It predicts the speed on machines that you do not own. Strategies,
 models, devices and transports are plug-ins. Flags and output are those of
 tf_cnn_benchmarks.")
set(CPACK_DEBIAN_DEV_DESCRIPTION
"headers and templates for plug-ins of convoy
 For authors of strategies, models, devices and transports for convoy, and of
 programs that use it as a library: headers, a CMake package, templates,
 examples and documentation.")
include(CPack)
