#!/bin/sh
# The example of a program with convoy inside is built against an installed convoy, plans, simulates
# and trains.
# Arguments: install prefix, working directory, cmake, C++ compiler.
set -eu
. "$(dirname "$0")/functions.sh"

example="$prefix/share/convoy/examples/embed"
[ "$(wc -l <"$example/embed.cpp")" -lt 60 ] || { echo "the example has 60 lines or more" >&2; exit 1; }
build_strictly "$example"
run embed "$work/build/embed"
contains embed '^--variable_update=replicated .*: synchronous, plan [0-9a-f]{16}$'
contains embed '^8 devices of dgx1-p100: [0-9]+ images/s$'
contains embed '^step 5: loss [0-9.]+$'
contains embed '^[0-9.]+ images/s, plan [0-9a-f]{16}$'

# What was planned is what ran.
hashes=$(sed -n 's/.*plan \([0-9a-f]\{16\}\)$/\1/p' "$work/embed.log" | sort -u | wc -l)
[ "$hashes" -eq 1 ] || { cat "$work/embed.log" >&2; exit 1; }

# Only the interface is seen from outside.
if nm -DC --defined-only "$prefix/lib/libconvoy_engine.so" | grep -E ' T ' | grep -v ' convoy::Job::'; then
  echo "the library shows more than convoy::Job" >&2
  exit 1
fi
