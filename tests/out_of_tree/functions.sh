# shellcheck shell=sh disable=SC2154  # $work and $convoy are the test's
# Sourced by the tests of this directory: run a program, look at what it printed.

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

# has_verb NAME: whether this convoy has such a verb.
has_verb() {
  "$convoy" --help | grep -Eq "^ +$1 "
}
