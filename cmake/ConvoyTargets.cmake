# convoy_library(NAME SOURCES ... LINK ...): a static library of the host with the project's flags.
# convoy_test(NAME [THREADS] [LONG] SOURCES ... LINK ...): one GoogleTest program, its cases discovered
# by ctest.

add_library(convoy_flags INTERFACE)
target_compile_options(convoy_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
  -Woverloaded-virtual -Wconversion -Wno-sign-conversion -Wnull-dereference -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these two in the standard library's own inlined code at -O2 (GCC bugs 105329, 107852).
  target_compile_options(convoy_flags INTERFACE -Wno-null-dereference -Wno-restrict)
endif()
target_include_directories(convoy_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/core/include)

if(CONVOY_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Warnings that follow the flow of values are wrong in instrumented code (GCC bug 105562).
    target_compile_options(convoy_flags INTERFACE
      -Wno-array-bounds -Wno-stringop-overflow -Wno-maybe-uninitialized)
    # The doorbell of CPU devices uses fences, which the thread sanitizer does not follow.
    if(CONVOY_SANITIZE MATCHES "thread")
      target_compile_options(convoy_flags INTERFACE -Wno-tsan)
    endif()
  endif()
  add_compile_options(-fsanitize=${CONVOY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CONVOY_SANITIZE})
endif()

function(convoy_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE convoy_flags)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/core/include)
endfunction()

# GoogleTest's headers cost three seconds per file: they are compiled once for all test programs.
function(convoy_test_headers)
  # A program, because precompiled headers fit only code that is compiled alike.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "int main() {}\n")
  add_executable(convoy_test_headers ${PROJECT_BINARY_DIR}/test_headers.cpp)
  target_link_libraries(convoy_test_headers PRIVATE convoy_test_flags GTest::gtest GTest::gmock)
  target_precompile_headers(convoy_test_headers PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> <string> <vector>)
endfunction()

# Test code is not optimised: compiling it takes longer than running it.
add_library(convoy_test_flags INTERFACE)
target_link_libraries(convoy_test_flags INTERFACE convoy_flags)
target_compile_options(convoy_test_flags INTERFACE -O0)
if(CONVOY_SANITIZE MATCHES "undefined")
  # Of test code only the memory accesses are looked at: the other checks cost a third of its
  # compilation.
  target_compile_options(convoy_test_flags INTERFACE -fno-sanitize=undefined)
endif()
target_compile_definitions(convoy_test_flags INTERFACE
  CONVOY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CONVOY_BINARY_DIR="${PROJECT_BINARY_DIR}")

# With THREADS, the program is among those that the thread sanitizer runs (target
# convoy_thread_tests, ctest label threads): what starts threads or is called by several. With LONG,
# it trains whole networks, is about numbers, and is left out where sanitizers slow it down many times.
add_custom_target(convoy_thread_tests)

function(convoy_test name)
  cmake_parse_arguments(arg "THREADS;LONG" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  if(arg_LONG AND CONVOY_SANITIZE)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
  target_link_libraries(${name} PRIVATE
    ${arg_LINK} convoy_test_flags GTest::gtest GTest::gmock GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM convoy_test_headers)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  set(labels)
  if(arg_THREADS)
    add_dependencies(convoy_thread_tests ${name})
    set(labels LABELS threads)
  endif()
  if(arg_LONG AND CONVOY_SANITIZE)
    return()
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${arg_TIMEOUT} ${labels})
endfunction()
