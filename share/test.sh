#!/bin/sh
# Installs what is missing, builds everything optimised and runs all tests. Arguments choose the
# builds instead, asan and tsan with address and undefined-behaviour sanitizers and with the thread
# sanitizer:
#   sh share/test.sh release asan tsan
# Tests that fail in one build do not keep those of the others from running.
# aarch64 cross-builds for 64-bit ARM and runs small suites under an emulator, some of them against
# the release build.
# faults tests all faults that tasks on several hosts must survive or report, which takes minutes; as
# root, also in network namespaces. foreseen, as root, compares steps of several hosts with their
# predictions; the table is at the end of build/release/ctest.log:
#   sh share/test.sh faults foreseen
# These take as long as you like: every fuzzer for CONVOY_FUZZ_SECONDS (60), with clang, and a
# training that is disturbed and killed again and again for CONVOY_SOAK_MINUTES (30):
#   sh share/test.sh fuzz soak
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
for preset in "$@"; do
  case "$preset" in
    release | asan | tsan | aarch64 | faults | foreseen | fuzz | soak) ;;
    -h | --help) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) echo "share/test.sh: no tests are called '$preset'; see share/test.sh --help" >&2; exit 2 ;;
  esac
done
sh "$root/share/install_dependencies.sh" --tests
cd "$root"
[ $# -gt 0 ] || set -- release

# Suppressions and settings that sanitizers need are in the files named here.
# What the leak checker learns about thread-local memory of loaded libraries is wrong when such a
# block happens to lie 16 bytes after the start of a page: it then takes the allocator's words before
# the block for an old C library's header, follows them and ends with "LeakSanitizer has encountered
# a fatal error". Without the interception it finds these blocks as it finds everything else: from
# the threads' stacks and registers.
# Frames that outlive their function (detect_stack_use_after_return=1) are for who asks for them: they
# take a third to a half of the time again, and GCC itself leaves them off.
export ASAN_OPTIONS="strict_string_checks=1:intercept_tls_get_addr=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export LSAN_OPTIONS="suppressions=$root/share/sanitizers/lsan.txt:print_suppressions=0"
export UBSAN_OPTIONS="print_stacktrace=1"
export TSAN_OPTIONS="suppressions=$root/share/sanitizers/tsan.txt:halt_on_error=1"

failed=
for preset in "$@"; do
  if [ "$preset" = aarch64 ]; then
    sh share/aarch64_tests.sh
    continue
  fi
  if [ "$preset" = soak ]; then
    sh share/build.sh release convoy_program
    sh share/soak.sh build/release/bin/convoy "${CONVOY_SOAK_MINUTES:-30}"
    continue
  fi
  targets=all
  selection="-LE (faults|foreseen)"
  build=$preset
  shown=--output-on-failure
  case "$preset" in
    # These have tests, too.
    release) targets="all benchmarks convoy_emulated" ;;
    # What hwloc's PCI plug-in keeps when it is unloaded is a leak of nobody's that has a name.
    asan) HWLOC_COMPONENTS=-pci; export HWLOC_COMPONENTS ;;
    # The thread sanitizer looks at what has threads.
    tsan) targets=convoy_thread_tests; selection="-L threads" ;;
    fuzz)
      cmake --preset fuzz -DCONVOY_FUZZ_SECONDS="${CONVOY_FUZZ_SECONDS:-60}" >/dev/null
      targets=convoy_fuzz; selection="-L fuzz"
      ;;
    faults) build=release; targets="all end_to_end_faults_test"; selection="-L faults" ;;
    foreseen)
      build=release; targets="all end_to_end_foreseen_test"
      selection="-L foreseen"; shown=--verbose
      ;;
  esac
  # shellcheck disable=SC2086  # a list of words
  sh share/build.sh "$build" $targets
  echo "testing ($preset) ..." >&2
  log="build/$build/ctest.log"
  result=passed
  # Four more at a time than there are cores: what tests networks and time-outs mostly waits. With two
  # more, a seventh of two cores' time is idle.
  # shellcheck disable=SC2086  # a list of words
  ctest --test-dir "build/$build" $selection $shown -j "$(($(nproc) + 4))" --timeout 600 \
    >"$log" 2>&1 || result=failed
  grep -Ev '^ *[0-9]+/[0-9]+ Test .*Passed|^ +Start +[0-9]+:' "$log"
  # Cases of suites whose other cases ran.
  sed -n 's/^\[  SKIPPED \] \([^ ]*\)$/skipped: \1/p' "build/$build/Testing/Temporary/LastTest.log" | sort -u
  [ "$result" = passed ] || failed="$failed $preset"
done
[ -z "$failed" ] || { echo "tests failed:$failed" >&2; exit 1; }
