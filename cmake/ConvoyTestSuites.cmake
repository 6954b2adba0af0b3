# convoy_add_suites(PROGRAM FOLDER PROPERTY VALUE...): for ctest, which reads this file when it starts:
# each suite of a GoogleTest program is a test of the name <program>.<suite>, run in FOLDER.
function(convoy_add_suites program folder)
  get_filename_component(name ${program} NAME)
  if(NOT EXISTS ${program})
    add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)
    return()
  endif()
  execute_process(COMMAND ${program} --gtest_list_tests WORKING_DIRECTORY ${folder} TIMEOUT 60
                  OUTPUT_VARIABLE listed RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${program} --gtest_list_tests ended with ${code}:\n${listed}")
  endif()
  # Lines without an indent are suites. Values of parameters may have all characters: off with them.
  string(REGEX REPLACE "#[^\n]*" "" listed "\n${listed}")
  string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\." suites "${listed}")
  foreach(suite IN LISTS suites)
    string(REGEX REPLACE "[\n.]" "" suite "${suite}")
    add_test(${name}.${suite} ${program} --gtest_filter=${suite}.*)
    # Skipped are those of which no case ran and none failed.
    set_tests_properties(${name}.${suite} PROPERTIES WORKING_DIRECTORY ${folder} ${ARGN}
      SKIP_REGULAR_EXPRESSION
      "PASSED  . 0 tests\\.\n.  SKIPPED . [0-9]+ tests?, listed below:\n(.  SKIPPED . [^\n]*\n)*$")
  endforeach()
endfunction()
