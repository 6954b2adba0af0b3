# convoy_add_plugin(NAME SOURCES ... [DEFINITIONS ...] [LINK ...] [OUTPUT_NAME ...]
#                   [OUTPUT_DIRECTORY ...])
#
# A strategy, model or device as a loadable module. It sees the SDK headers and nothing else of
# convoy, and exports its entry point, its manifest and, where it has it, convoy_device_waking_v1. It
# is installed to lib/convoy/plugins, where the host looks, unless OUTPUT_DIRECTORY says that it is
# for this build tree only. The same file serves convoy's own plug-ins and, through
# find_package(convoy), all others. Without a build type it is optimised, because a strategy's kernels
# run in every step.

include_guard(GLOBAL)

function(convoy_add_plugin name)
  cmake_parse_arguments(arg "" "OUTPUT_NAME;OUTPUT_DIRECTORY" "SOURCES;DEFINITIONS;LINK" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "convoy_add_plugin(${name}): SOURCES is required; not understood: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_OUTPUT_NAME)
    set(arg_OUTPUT_NAME ${name})
  endif()
  set(exports ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/convoy_plugin.map)

  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE convoy::sdk ${arg_LINK})
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  target_compile_options(${name} PRIVATE $<$<CONFIG:>:-O2>)
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--version-script=${exports})
  if(NOT CONVOY_SANITIZE)  # a sanitizer's runtime is found in the host
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "${arg_OUTPUT_NAME}" SUFFIX ".so" LINK_DEPENDS ${exports}
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(TARGET convoy_flags)  # inside convoy: its warnings, without its include path
    target_compile_options(${name} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:$<TARGET_PROPERTY:convoy_flags,INTERFACE_COMPILE_OPTIONS>>")
  endif()
  if(TARGET convoy_plugin_headers AND NOT arg_SOURCES MATCHES "\\.c(;|$)")
    target_precompile_headers(${name} REUSE_FROM convoy_plugin_headers)
  endif()

  if(arg_OUTPUT_DIRECTORY)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}")
    return()
  endif()
  if(CONVOY_PLUGIN_OUTPUT_DIRECTORY)
    set_target_properties(${name} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY "${CONVOY_PLUGIN_OUTPUT_DIRECTORY}")
  endif()
  if(TARGET convoy_program)
    add_dependencies(convoy_program ${name})
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION lib/convoy/plugins)
endfunction()
