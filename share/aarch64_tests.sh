#!/bin/sh
# Cross-builds convoy for 64-bit ARM and runs the small suites, a training and a simulation of it
# under QEMU's user emulation. What an emulator is too slow for is left out: tests that run whole
# models, start processes or measure. Called by `share/test.sh aarch64`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
build=build/aarch64
sysroot="$root/build/aarch64_sysroot"
suites="abi_test base_test checkpoint_test data_test device_kernels_test device_lane_test graph_test
 plan_test plugin_test select_test simulate_test topology_test train_test"

sh share/install_dependencies.sh --aarch64
sh share/aarch64_sysroot.sh "$sysroot"
# shellcheck disable=SC2086  # a list of words
sh share/build.sh aarch64 convoy_program $suites

emulated() {
  qemu-aarch64-static -L "$sysroot" "$@"
}
for suite in $suites; do
  echo "testing (aarch64, emulated): $suite" >&2
  log="$build/$suite.log"
  emulated "$build/tests/$suite" >"$log" 2>&1 || { grep -v ' OK ]\| RUN ' "$log"; exit 1; }
done

CONVOY_CACHE_DIR="$root/$build/cache"
export CONVOY_CACHE_DIR
mkdir -p "$CONVOY_CACHE_DIR"
echo "testing (aarch64, emulated): a training on two devices" >&2
emulated "$build/bin/convoy" run --model=lenet --device=cpu --num_devices=2 --batch_size=2 \
  --num_batches=2 --num_warmup_batches=0 --variable_update=replicated >"$build/run.log" 2>&1 ||
  { cat "$build/run.log"; exit 1; }
# Predictions are the same on every processor, to the last digit. A plan's hash is not: it knows
# buffers by the order of their first mention, and in what order `copy(to, from)` mentions them is
# the compiler's choice.
program=build/release/bin/convoy
[ -x "$program" ] || exit 0
echo "testing (aarch64, emulated): predictions beside those of this processor" >&2
for flags in "--platform=dgx1-p100 --model=alexnet --num_gpus=1,8 --variable_update=replicated" \
  "--platform=ec2-p2.8xlarge --model=resnet50 --num_gpus=8 --variable_update=parameter_server"; do
  # shellcheck disable=SC2086  # lists of words
  emulated "$build/bin/convoy" simulate $flags 2>&1 | grep -v ^Hash >"$build/there.txt"
  # shellcheck disable=SC2086
  "$program" simulate $flags 2>&1 | grep -v ^Hash >"$build/here.txt"
  diff "$build/here.txt" "$build/there.txt"
done
