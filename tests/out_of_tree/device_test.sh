#!/bin/sh
# The device that convoy new writes is built against an installed convoy, checked against the
# reference, and trains as the CPU device does.
# Arguments: install prefix, working directory, cmake, C++ compiler.
set -eu
. "$(dirname "$0")/functions.sh"

run new "$convoy" new device my_card --directory="$work/my_card"
build_strictly "$work/my_card"
device="$work/build/my_card.so"

run list "$convoy" list --plugin_path="$device"
contains list '^device +my_card +0\.1\.0 .*/build/my_card\.so$'
run check "$convoy" check "$device"
contains check '^layers: residual, forward and backward: right$'
contains check '^operations: cast of f32 to f16: unsupported \(this device computes with f32 only\)$'
contains check '^my_card: [0-9]+ right, 0 wrong, [0-9]+ unsupported$'

# Its place in the plan is that of any device: by path, by name, several of them.
set -- --model=lenet --batch_size=4 --num_batches=4 --num_warmup_batches=0 --display_every=1 \
  --nodropout --init_learning_rate=1e-4 --variable_update=replicated --num_devices=2
losses() {
  sed -n 's/^[0-9]*[[:space:]]images\/sec: .*[[:space:]]\([0-9.]*\)$/\1/p' "$work/$1.log" >"$work/$1.losses"
  [ "$(wc -l <"$work/$1.losses")" -eq 4 ] || { cat "$work/$1.log" >&2; exit 1; }
}
run on_cpu "$convoy" run "$@" --device=cpu
run by_path "$convoy" run "$@" --device="$device"
run by_name "$convoy" run "$@" --device=my_card --plugin_path="$work/build"
losses on_cpu
for on in by_path by_name; do
  losses $on
  # Printed with three decimals; they differ by rounding alone.
  paste "$work/on_cpu.losses" "$work/$on.losses" | awk '
    { difference = $1 - $2; if (difference < 0) difference = -difference }
    difference > 0.002 + 1e-5 * $1 { print "losses differ: " $0; wrong = 1 }
    END { exit wrong }' >&2
done

refused misspelled 3 "$convoy" run "$@" --device=my_cart --plugin_path="$work/build"
contains misspelled 'did you mean my_card\? \(installed: cpu, (cuda, )?my_card\)'
