# convoy_later_headers(DIRECTORY): writes the C headers of a made-up later version of the ABI, in which
# every struct with a struct_size has two more fields at its end. Put before the SDK's own include
# path, they make plug-ins of the future, and with the host's sources the host of the future.
function(convoy_later_headers directory)
  file(GLOB headers ${PROJECT_SOURCE_DIR}/core/include/convoy/abi/*.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  foreach(header ${headers})
    file(READ ${header} text)
    string(REGEX MATCHALL "typedef struct convoy_[a-z_]+ {\n  uint64_t struct_size" structs "${text}")
    foreach(struct ${structs})
      string(REGEX REPLACE "typedef struct (convoy_[a-z_]+) .*" "\\1" name "${struct}")
      string(REPLACE "\n} ${name};" "\n  uint64_t later[2];\n} ${name};" text "${text}")
    endforeach()
    get_filename_component(name ${header} NAME)
    file(CONFIGURE OUTPUT ${directory}/convoy/abi/${name} CONTENT "${text}" @ONLY)
  endforeach()
endfunction()
