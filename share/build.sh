#!/bin/sh
# share/build.sh PRESET [TARGET...]: configures once, then builds. Output is shown when it fails.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
preset=$1
shift
cd "$root"
log="build/$preset.log"
mkdir -p build
: >"$log"
if [ ! -f "build/$preset/build.ninja" ]; then
  echo "configuring ($preset) ..." >&2
  cmake --preset "$preset" >>"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
echo "building ($preset) ..." >&2
ninja -C "build/$preset" "$@" >>"$log" 2>&1 || { tail -n 60 "$log" >&2; exit 1; }
