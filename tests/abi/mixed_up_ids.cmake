# Compiles SOURCE with COMPILER: as it is, which must succeed, and with each of its mistakes, which must
# fail because of a type.
function(compile mistake result output)
  execute_process(
    COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE} -DMIXED_UP=${mistake} ${SOURCE}
    RESULT_VARIABLE code ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

compile(0 code text)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "The right program does not compile:\n${text}")
endif()
foreach(mistake RANGE 1 7)
  compile(${mistake} code text)
  if(code EQUAL 0)
    message(FATAL_ERROR "Mistake ${mistake} of ${SOURCE} compiles.")
  endif()
  if(NOT text MATCHES "convert|no viable|no known conversion|no matching|initializ")
    message(FATAL_ERROR "Mistake ${mistake} fails for another reason than a type:\n${text}")
  endif()
endforeach()
