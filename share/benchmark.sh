#!/bin/sh
# Installs what is missing, builds the release and runs the benchmarks, or those that are named:
# sh share/benchmark.sh [--output FILE] [NAME...]
# The results are one text file (default build/release/benchmark_results.txt). It starts with the
# machine and its own figures for matrix products and memory, which the others are to be read by.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
build=build/release
output=$build/benchmark_results.txt
if [ "${1:-}" = "--output" ]; then
  [ $# -ge 2 ] || { echo "benchmark: --output needs the name of a file" >&2; exit 2; }
  output=$2
  shift 2
fi
sh share/install_dependencies.sh
sh share/build.sh release convoy_program benchmarks

all=$(tr '\n' ' ' <$build/benchmarks/list.txt)
# shellcheck disable=SC2086  # a list of words
[ $# -gt 0 ] || set -- $all
for name in "$@"; do
  [ -x "$build/benchmarks/$name" ] && continue
  echo "benchmark: there is no '$name'; there are: $all" >&2
  exit 2
done

describe_machine() {
  echo "convoy benchmarks, $(date -u '+%Y-%m-%d %H:%M UTC')"
  echo "revision:  $(git describe --always --dirty 2>/dev/null || echo unknown)"
  echo "system:    $(uname -srm)"
  echo "compiler:  $(c++ --version | head -n 1)"
  echo "oneDNN:    $(dpkg-query -W -f='${Version}' libdnnl2 2>/dev/null || echo unknown)"
  LC_ALL=C lscpu |
    grep -E '^(Model name|CPU\(s\)|Thread\(s\) per core|L[123].* cache|NUMA node\(s\))'
  echo "vectors:   $(grep -m 1 '^flags' /proc/cpuinfo | tr ' ' '\n' |
                     grep -E '^(avx2|fma|avx512f|avx512_bf16|avx512_vnni|amx_bf16)$' | tr '\n' ' ')"
  grep -E '^MemTotal' /proc/meminfo
  echo "load:      $(cut -d ' ' -f 1-3 /proc/loadavg) (1, 5 and 15 minutes, before the benchmarks)"
}

run() {
  echo
  echo "== $1"
  "$build/benchmarks/$1" 2>&1 || { echo "FAILED: $1"; echo "$1" >>"$output.failed"; }
}

rm -f "$output.failed"
{
  describe_machine
  run machine_benchmark
  for name in "$@"; do
    [ "$name" = machine_benchmark ] || run "$name"
  done
} | tee "$output"
echo
echo "written to $output"
[ ! -e "$output.failed" ] || { rm "$output.failed"; echo "some benchmarks failed" >&2; exit 1; }
