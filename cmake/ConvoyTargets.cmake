# convoy_library(NAME [PLAIN] SOURCES ... LINK ...): a static library with the project's flags. PLAIN:
# without the host's precompiled headers, for what is compiled with flags of its own.
# convoy_test(NAME [THREADS] [LONG] [CASES] [TOGETHER] [TEAMS filter] [SHARDS n] [TIMEOUT seconds]
#             [COST number] SOURCES ... LINK ...):
# one GoogleTest program, its suites or cases discovered by ctest.

add_library(convoy_flags INTERFACE)
target_compile_options(convoy_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
  -Woverloaded-virtual -Wconversion -Wno-sign-conversion -Wnull-dereference -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these two in the standard library's own inlined code at -O2 (GCC bugs 105329, 107852).
  target_compile_options(convoy_flags INTERFACE -Wno-null-dereference -Wno-restrict)
  # The compiler collects its garbage from 128 MB on, which takes a tenth to a fifth of the time of a
  # file here. From 1 GB (the unit is kB), files that take 600 MB take 20 % more memory.
  target_compile_options(convoy_flags INTERFACE --param=ggc-min-heapsize=1048576)
endif()
target_include_directories(convoy_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/core/include)

# There are hundreds of programs and plug-ins, and gold links them in half the time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold CONVOY_LINKS_WITH_GOLD)
if(CONVOY_LINKS_WITH_GOLD)
  add_link_options(-fuse-ld=gold)
endif()

if(CONVOY_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Warnings that follow the flow of values are wrong in instrumented code (GCC bug 105562).
    target_compile_options(convoy_flags INTERFACE
      -Wno-array-bounds -Wno-stringop-overflow -Wno-maybe-uninitialized)
  endif()
  add_compile_options(-fsanitize=${CONVOY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(CONVOY_SANITIZE MATCHES "undefined")
    # Checked at every access to a member or through a pointer, for half of all compilation and of the
    # code. The address sanitizer sees null pointers and the ends of objects by itself.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
  endif()
  add_link_options(-fsanitize=${CONVOY_SANITIZE})
endif()

# For code that takes no time that matters: calls in place of inlined checks, which are a sixth of the
# time to compile.
set(CONVOY_QUICK_CHECKS)
if(CONVOY_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CONVOY_QUICK_CHECKS --param=asan-instrumentation-with-call-threshold=0)
endif()

# The headers that most of the host includes, compiled once. Not in the debug and fuzz builds: there
# each file must include what it uses. Only GCC takes them where other options than they were
# compiled with say how to optimise or round, and GCC 12 for aarch64 crashes on them there.
set(CONVOY_HOST_HEADERS OFF)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(CONVOY_HOST_HEADERS ON)
endif()

# convoy_precompiled_json(TARGET): the JSON library's header as it is precompiled in TARGET. It defines
# a literal that parses, and each file that uses the precompiled header would compile the parser for it
# (0.4 s): so that is a copy that only declares the literal, which nothing uses.
function(convoy_precompiled_json target)
  get_target_property(folders nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
  find_file(header nlohmann/json.hpp PATHS ${folders} NO_DEFAULT_PATH NO_CACHE REQUIRED)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(REPLACE "\n{\n    return nlohmann::json::parse(s, s + n);\n}" ";" text "${text}")
  set(copy ${PROJECT_BINARY_DIR}/precompiled/nlohmann/json.hpp)
  file(WRITE ${copy}.new "${text}")
  file(COPY_FILE ${copy}.new ${copy} ONLY_IF_DIFFERENT)
  target_include_directories(${target} SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/precompiled)
endfunction()

function(convoy_host_headers)
  if(NOT CONVOY_HOST_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/host_headers.cpp CONTENT "")
  add_library(convoy_host_headers OBJECT ${PROJECT_BINARY_DIR}/host_headers.cpp)
  target_link_libraries(convoy_host_headers PRIVATE convoy_flags fmt::fmt)
  convoy_precompiled_json(convoy_host_headers)
  target_precompile_headers(convoy_host_headers PRIVATE
    <algorithm> <array> <charconv> <cmath> <cstdint> <filesystem> <fmt/format.h> <fmt/ranges.h>
    <fstream> <functional> <map> <memory> <nlohmann/json.hpp> <optional> <set> <span> <sstream>
    <string> <utility> <vector>)

  # The SDK, for models, strategies and whatever else is a plug-in.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/plugin_headers.cpp CONTENT "")
  add_library(convoy_plugin_headers OBJECT ${PROJECT_BINARY_DIR}/plugin_headers.cpp)
  target_link_libraries(convoy_plugin_headers PRIVATE convoy::sdk)
  target_compile_options(convoy_plugin_headers PRIVATE
    $<TARGET_PROPERTY:convoy_flags,INTERFACE_COMPILE_OPTIONS>)
  set_target_properties(convoy_plugin_headers PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_precompile_headers(convoy_plugin_headers PRIVATE
    <convoy/model.hpp> <convoy/strategy.hpp>)
endfunction()

function(convoy_use_host_headers name)
  if(CONVOY_HOST_HEADERS)
    target_precompile_headers(${name} REUSE_FROM convoy_host_headers)
  endif()
endfunction()

# convoy_quick_code(): the code of this folder takes no time that matters, so it is compiled quickly.
# With sanitizers, whose checks take the optimiser as long as the code itself, it is not optimised at
# all; precompiled headers do not fit such code.
macro(convoy_quick_code)
  if(CONVOY_SANITIZE)
    add_compile_options(-O0 ${CONVOY_QUICK_CHECKS})
    set(CONVOY_HOST_HEADERS OFF)
  else()
    add_compile_options($<$<CONFIG:Release>:-O1>)
  endif()
endmacro()

function(convoy_library name)
  cmake_parse_arguments(arg "PLAIN" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE convoy_flags)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/core/include)
  if(NOT arg_PLAIN)
    convoy_use_host_headers(${name})
  endif()
endfunction()

# GoogleTest's headers cost three seconds per file: they are compiled once for all test programs.
function(convoy_test_headers)
  # A program, because precompiled headers fit only code that is compiled alike.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "int main() {}\n")
  add_executable(convoy_test_headers ${PROJECT_BINARY_DIR}/test_headers.cpp)
  target_link_libraries(convoy_test_headers PRIVATE
    convoy_test_flags GTest::gtest GTest::gmock)
  convoy_precompiled_json(convoy_test_headers)
  target_precompile_headers(convoy_test_headers PRIVATE
    <algorithm> <array> <cmath> <filesystem> <fmt/format.h> <fstream> <functional> <gmock/gmock.h>
    <gtest/gtest.h> <map> <memory> <nlohmann/json.hpp> <optional> <set> <sstream> <string> <vector>)
endfunction()

# Test code is not optimised: compiling it takes longer than running it.
add_library(convoy_test_flags INTERFACE)
target_link_libraries(convoy_test_flags INTERFACE convoy_flags fmt::fmt)
target_compile_options(convoy_test_flags INTERFACE -O0 ${CONVOY_QUICK_CHECKS})
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
#
# Each suite is a process, and a test of ctest, of its own: the start of a process, of which there would
# be thousands, costs more than most cases. With CASES, whose cases are long or mostly wait, and with
# LONG it is each case. With a sanitizer the program is one test, or as many as SHARDS says, each
# of them a share of its cases. One share should take at most some ten seconds. What takes longest
# starts first, so that no core waits for it in the end: COST orders them (LONG: 100). Cases whose
# names match TEAMS compute with several threads that wait for each other: each has three of ctest's
# processors to itself, because share/test.sh gives ctest more than there are cores. TOGETHER: the
# cases share what takes long to make and are one process.
add_custom_target(convoy_thread_tests)

# As the program sets it for itself: by default threads that wait for their team spin for
# milliseconds, on cores that other tests want.
set(CONVOY_TEST_ENVIRONMENT GOMP_SPINCOUNT=1000)

function(convoy_test name)
  cmake_parse_arguments(arg "THREADS;LONG;CASES;TOGETHER" "TEAMS;SHARDS;TIMEOUT;COST" "SOURCES;LINK"
                        ${ARGN})
  if(NOT arg_TIMEOUT)
    # With a sanitizer, shares that take two minutes on a usual machine took five on a slow one.
    set(arg_TIMEOUT 300)
    if(CONVOY_SANITIZE)
      set(arg_TIMEOUT 600)
    endif()
  endif()
  # CMake links objects of other targets before a program's own, as tests/support/instances.cpp needs.
  add_executable(${name} $<TARGET_OBJECTS:convoy_test_instances> ${arg_SOURCES})
  if(arg_LONG AND CONVOY_SANITIZE)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
  target_link_libraries(${name} PRIVATE
    ${arg_LINK} convoy_test_flags GTest::gtest GTest::gmock GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM convoy_test_headers)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  set(properties TIMEOUT ${arg_TIMEOUT} ENVIRONMENT ${CONVOY_TEST_ENVIRONMENT})
  if(arg_THREADS)
    add_dependencies(convoy_thread_tests ${name})
    list(APPEND properties LABELS threads)
  endif()
  if(arg_LONG AND NOT arg_COST)
    set(arg_COST 100)
  endif()
  if(arg_COST)
    list(APPEND properties COST ${arg_COST})
  endif()
  if(CONVOY_SANITIZE)
    if(NOT arg_LONG)
      convoy_test_shares(${name} "${arg_SHARDS}" ${properties})
    endif()
    return()
  endif()
  if(arg_TOGETHER)
    convoy_test_shares(${name} "" ${properties})
  elseif(arg_LONG OR arg_CASES)
    convoy_test_cases(${name} "${arg_TEAMS}" ${properties})
  else()
    convoy_test_suites(${name} ${properties})
  endif()
endfunction()

# convoy_test_cases(NAME TEAMS PROPERTY...): each case is a test.
function(convoy_test_cases name teams)
  set(discovery DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES)
  if(teams)
    gtest_discover_tests(${name} TEST_FILTER "${teams}" ${discovery} PROPERTIES ${ARGN} PROCESSORS 3)
    set(others TEST_FILTER "-${teams}")
  endif()
  gtest_discover_tests(${name} ${others} ${discovery} PROPERTIES ${ARGN})
endfunction()

# convoy_test_suites(NAME PROPERTY...): each suite is a test.
function(convoy_test_suites name)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
  list(JOIN ARGN " " properties)
  file(GENERATE OUTPUT ${file} CONTENT
"include(\"${PROJECT_SOURCE_DIR}/cmake/ConvoyTestSuites.cmake\")
convoy_add_suites(\"$<TARGET_FILE:${name}>\" \"${CMAKE_CURRENT_BINARY_DIR}\" ${properties})
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()

# convoy_test_shares(NAME SHARDS PROPERTY...): the cases of a test program in SHARDS processes.
function(convoy_test_shares name shards)
  if(NOT shards)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ${ARGN})
    return()
  endif()
  math(EXPR last "${shards} - 1")
  foreach(share RANGE ${last})
    add_test(NAME ${name}.${share} COMMAND ${name})
    set_tests_properties(${name}.${share} PROPERTIES COST 50 ${ARGN}
      ENVIRONMENT
      "${CONVOY_TEST_ENVIRONMENT};GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${share}")
  endforeach()
endfunction()
