# shellcheck shell=sh disable=SC2034  # the tests use the variables that are set here
# Sourced by the tests of this directory with their arguments: install prefix, working directory and,
# where the test builds something, cmake and the C++ compiler. Makes the working directory empty.
prefix=$1
work=$2
cmake=${3-}
compiler=${4-}
here=$(cd "$(dirname "$0")" && pwd)
convoy="$prefix/bin/convoy"

rm -rf "$work"
mkdir -p "$work"
unset CONVOY_CACHE_DIR CONVOY_PLUGIN_PATH
export XDG_CACHE_HOME="$work/cache"

# run NAME COMMAND...: the output goes to $work/NAME.log; a failure ends the test and shows it.
run() {
  log="$work/$1.log"
  shift
  if ! "$@" >"$log" 2>&1; then
    echo "failed: $*" >&2
    cat "$log" >&2
    exit 1
  fi
}

# refused NAME CODE COMMAND...: as run, but the command must end with this exit code.
refused() {
  log="$work/$1.log"
  expected=$2
  shift 2
  code=0
  "$@" >"$log" 2>&1 || code=$?
  if [ "$code" -ne "$expected" ]; then
    echo "exit code $code instead of $expected: $*" >&2
    cat "$log" >&2
    exit 1
  fi
}

# contains NAME PATTERN: the last output of that name has a line that matches.
contains() {
  if ! grep -Eq -- "$2" "$work/$1.log"; then
    echo "no line matches '$2' in:" >&2
    cat "$work/$1.log" >&2
    exit 1
  fi
}

# build SOURCE [ARGUMENT...]: configures and builds a project outside in $work/build.
build() {
  source=$1
  shift
  run configure "$cmake" -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_COMPILER="$compiler" "$@"
  run build "$cmake" --build "$work/build" --verbose
}

# build_strictly SOURCE: the same with optimisation, and with warnings as errors. All files are one
# compilation: the SDK's headers take longer than they do. Each on its own, the debug build of
# tests/conformance compiles them.
build_strictly() {
  build "$1" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 \
    -DCMAKE_CXX_FLAGS='-Wall -Wextra -Wpedantic -Wshadow -Werror'
}
