#!/bin/sh
# A strategy that is built against an installed convoy, by a compiler of its own choice, is listed,
# described, checked and run. Ends with 77 when that compiler is missing.
# Arguments: install prefix, working directory, cmake, C++ compiler, further cmake arguments.
set -eu
. "$(dirname "$0")/functions.sh"
shift 4

if ! command -v "$compiler" >/dev/null; then
  echo "skipped: no compiler $compiler"
  exit 77
fi
mkdir -p "$work/plugins"

build "$prefix/share/convoy/examples/error_feedback" -DCMAKE_BUILD_TYPE=Release "$@"
for argument in "$@"; do
  case $argument in
    -DCMAKE_CXX_STANDARD=23) contains build '-std=c\+\+2[3b]' ;;
    -DCMAKE_CXX_FLAGS=*) contains build "${argument#-DCMAKE_CXX_FLAGS=}" ;;
  esac
done
mv "$work/build/error_feedback.so" "$work/plugins/"
here_too="--plugin_path=$work/plugins"

run list "$convoy" list "$here_too"
contains list "^strategy +error_feedback +0\.3\.0 +approximate +$work/plugins/error_feedback\.so\$"
contains list '^strategy +replicated '
run info "$convoy" info error_feedback "$here_too"
contains info 'claims +approximate'
contains info '--bits=8 +\(enum: 4, 8, 16\)'

set -- --model=lenet --batch_size=4 --num_batches=3 --num_warmup_batches=1 --device=cpu \
  --num_devices=2 --display_every=1 --variable_update=error_feedback "$here_too"
for bits in 4 16; do
  run "bits_$bits" "$convoy" run "$@" --bits=$bits
  contains "bits_$bits" '^3[[:space:]]+images/sec: '
  contains "bits_$bits" '^total images/sec: [0-9]'
done
refused bits_5 2 "$convoy" run "$@" --bits=5
contains bits_5 'bits=5: it must be 4, 8 or 16'
run by_path "$convoy" run "$@" --variable_update="$work/plugins/error_feedback.so"

run check "$convoy" check error_feedback "$here_too"
contains check 'approximate'
