#!/bin/sh
# Runs all that needs a CUDA device, in a build tree, and writes one file of results:
#   share/gpu_tests.sh [build/release] [results.txt]
# Needs the targets device_layers_test, device_operations_test, device_cuda_host_test,
# device_cuda_plugin_test, golden_test and convoy_program. Ends with 1 when anything failed, with 77 when there is
# no CUDA device.
set -u

build="${1:-build/release}"
results="${2:-gpu_results.txt}"
convoy="$build/bin/convoy"
failed=0

say() { printf '%s\n' "$*" | tee -a "$results"; }
check() { # name, command...
  name="$1"
  shift
  if output=$("$@" 2>&1); then
    say "ok      $name"
  else
    say "FAILED  $name (exit $?): $*"
    failed=1
  fi
  printf '%s\n\n' "$output" >> "$results"
}
run() { # name, flags...
  name="$1"
  shift
  check "$name" "$convoy" run --device=gpu --num_warmup_batches=5 --num_batches=20 "$@"
}

: > "$results"
say "$(date -u) $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -1)"
reason=$("$convoy" info cuda 2>&1 | sed -n 's/^unusable   here: //p')
if [ -n "$reason" ]; then
  say "no CUDA device can be used: $reason"
  exit 77
fi

check "tests labelled gpu" ctest --test-dir "$build" -L gpu --output-on-failure
check "host-side tests" ctest --test-dir "$build" -R '^(AlgorithmCache|LaneEngines|Cuda)'
for model in trivial alexnet vgg16 resnet50 inception3 mobilenet; do
  run "$model, f32, batch 8" --model="$model" --batch_size=8 --num_gpus=1
done
for precision in "" "--tf32" "--use_fp16"; do
  # shellcheck disable=SC2086  # no flag at all is one of them
  run "resnet50, batch 64 ${precision:-f32}" --model=resnet50 --batch_size=64 --num_gpus=1 $precision
done
for strategy in independent "parameter_server --local_parameter_device=cpu" \
  "parameter_server --local_parameter_device=gpu" replicated "replicated --all_reduce_spec=pscpu" \
  distributed_all_reduce; do
  # shellcheck disable=SC2086  # the strategy may come with an option
  run "two replicas on one GPU: $strategy" --model=resnet20 --data_name=cifar10 --batch_size=32 \
    --gpu_indices=0,0 --variable_update=$strategy
done
run "resnet50, bf16, batch 256: the figure to beat" --model=resnet50 --batch_size=256 --num_gpus=1 --use_fp16
say "$([ "$failed" -eq 0 ] && echo 'all passed' || echo 'some FAILED')"
exit "$failed"
