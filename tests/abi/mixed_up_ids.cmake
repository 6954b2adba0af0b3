# Compiles SOURCE with COMPILER: as it is, which must succeed, and with its mistakes, each of which must
# fail because of a type.
function(compile mistakes result output)
  execute_process(
    COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE} ${mistakes} ${SOURCE}
    RESULT_VARIABLE code ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

compile("" code text)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "The right program does not compile:\n${text}")
endif()
compile(-DMIXED_UP code text)
file(STRINGS ${SOURCE} lines)
set(number 0)
set(mistakes 0)
foreach(line IN LISTS lines)
  math(EXPR number "${number} + 1")
  if(NOT line MATCHES "// mistake$")
    continue()
  endif()
  math(EXPR mistakes "${mistakes} + 1")
  if(NOT text MATCHES
     "mixed_up_ids\\.cpp:${number}:[0-9]+: error:[^\n]*(convert|no viable|no known conversion|no matching|initializ)")
    message(FATAL_ERROR "Line ${number} of ${SOURCE} compiles, or fails for another reason than a "
                        "type:\n${text}")
  endif()
endforeach()
if(NOT mistakes EQUAL 7)
  message(FATAL_ERROR "${SOURCE} has ${mistakes} mistakes instead of 7.")
endif()
