#!/bin/sh
# The strategies in the README and in the pages of share/docs build as they stand against an installed
# convoy, and compute what they claim. Arguments: install prefix, working directory, cmake, C++ compiler.
set -eu
. "$(dirname "$0")/functions.sh"

mkdir -p "$work/project"
[ -f "$prefix/share/convoy/docs/concepts.md" ]

# Indented programs, from their #include of strategy.hpp, which is the first line of each, to the end of
# CONVOY_STRATEGY(...).
cat "$here/../../README.md" "$prefix/share/convoy/docs/"*.md | awk -v folder="$work/project" '
  /^    #include <convoy\/strategy.hpp>/ { ++programs; inside = 1 }
  inside { sub(/^    /, ""); print > (folder "/documented_" programs ".cpp") }
  inside && /"needs=/ { inside = 0 }
  END { print programs > (folder "/count") }'
count=$(cat "$work/project/count")
[ "$count" -ge 3 ]

# Each is a file of its own. What they all begin with, the SDK's header, is compiled once, which needs
# the same macros for all.
{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(documented LANGUAGES CXX)'
  echo 'find_package(convoy REQUIRED)'
  i=1
  while [ "$i" -le "$count" ]; do
    echo "convoy_add_plugin(documented_$i SOURCES documented_$i.cpp)"
    i=$((i + 1))
  done
  echo 'target_precompile_headers(documented_1 PRIVATE <convoy/strategy.hpp>)'
  echo 'set_target_properties(documented_1 PROPERTIES DEFINE_SYMBOL "")'
  i=2
  while [ "$i" -le "$count" ]; do
    echo "target_precompile_headers(documented_$i REUSE_FROM documented_1)"
    echo "set_target_properties(documented_$i PROPERTIES DEFINE_SYMBOL \"\")"
    i=$((i + 1))
  done
} >"$work/project/CMakeLists.txt"
build "$work/project"

i=1
while [ "$i" -le "$count" ]; do
  run "check_$i" "$convoy" check "$work/build/documented_$i.so"
  contains "check_$i" 'claims to be .*: proved in [0-9]* plans'
  i=$((i + 1))
done

# One that changes during training, in all verbs that plan.
staged=$(grep -l documented_warm_up "$work/project/"*.cpp)
staged="--variable_update=$work/build/$(basename "$staged" .cpp).so"
set -- --model=lenet --platform=dgx1-v100 --num_gpus=2
run plan "$convoy" plan "$staged" "$@"
contains plan '^from step 8 on$'
run lowered "$convoy" plan --lowered "$staged" "$@"
contains lowered '^from step 8 on$'
run explain "$convoy" explain "$staged" "$@"
contains explain '^From step 8 on:$'
run simulate "$convoy" simulate "$staged" "$@"
contains simulate '^From step 8 on: [0-9.]+ images/sec'
run train "$convoy" run "$staged" --model=lenet --device=cpu --num_devices=2 --batch_size=4 \
  --num_warmup_batches=3 --num_batches=9 --output_file="$work/train.json"
contains train 'total images/sec: [0-9.]+'
