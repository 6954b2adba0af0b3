#!/bin/sh
# Runs all that needs a CUDA device, in a build tree, and writes one file of results:
#   share/gpu_tests.sh [build/release] [results.txt]
# Needs the targets device_test, device_several_gpus_test, device_cuda_host_test, golden_test and
# convoy_program. Ends with 1 when anything failed, with 77 when there is no CUDA device.
#
# CONVOY_GPU_SECONDS (1800) is what one run may take: a GPU that hangs says nothing by itself.
set -u

seconds="${CONVOY_GPU_SECONDS:-1800}"
build="${1:-build/release}"
results="${2:-gpu_results.txt}"
convoy="$build/bin/convoy"
failed=0

say() { printf '%s\n' "$*" | tee -a "$results"; }
# What went wrong in $output: the tests and cases that failed, else its last lines.
say_what_failed() {
  named=$(printf '%s\n' "$output" | sed -n \
    -e 's/^\[  FAILED  \] \([^ ,]*\.[^ ,]*\).*/        \1/p' \
    -e '/^The following tests FAILED/,$s/^[[:space:]]*[0-9]* - \(.*\)/        \1/p' | sort -u)
  [ -n "$named" ] || named=$(printf '%s\n' "$output" | tail -3 | sed 's/^/        /')
  say "$named"
}
check() { # name, command...
  name="$1"
  shift
  output=$("$@" 2>&1)
  code=$?
  if [ "$code" -eq 0 ]; then
    say "ok      $name"
  else
    say "FAILED  $name (exit $code): $*"
    case "$code" in 124 | 137) say "        it did not end within $seconds s" ;; esac
    say_what_failed
    failed=1
  fi
  printf '%s\n\n' "$output" >> "$results"
}
run() { # name, flags...
  name="$1"
  shift
  check "$name" timeout -k 10 "$seconds" "$convoy" run --device=gpu --num_warmup_batches=5 --num_batches=20 "$@"
}

# Whether trainings of the same steps end with the same bits: name, flags common to all, then one
# argument of further flags for each; their speeds are in the results.
same_bits() {
  name="$1"
  common="$2"
  shift 2
  first=""
  for flags in "$@"; do
    # shellcheck disable=SC2086  # both hold several flags
    run "$name: $flags" $common $flags --deterministic --print_parameter_hash
    hash=$(printf '%s\n' "$output" | grep -i 'hash' | tail -1)
    [ -n "$first" ] || first="$hash"
    [ -n "$hash" ] && [ "$hash" = "$first" ] && continue
    say "FAILED  $name: other parameters with $flags ($hash) than with $1 ($first)"
    failed=1
  done
}

: > "$results"
say "$(date -u) $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -1)"
# With the lines that the reason goes on in.
reason=$("$convoy" info cuda 2>&1 | sed -n '/^unusable   here: /,/^\( *$\|[^ u]\)/{
  s/^unusable   here: //p
  s/^   *\([^ ]\)/\1/p
}' | tr '\n' ' ')
reason=${reason% }
if [ -n "$reason" ]; then
  say "no CUDA device can be used: $reason"
  exit 77
fi
{ nvidia-smi; "$convoy" doctor; } >> "$results" 2>&1

check "tests labelled gpu" ctest --test-dir "$build" -L gpu --output-on-failure
check "host-side tests" ctest --test-dir "$build" -R '^device_cuda_host_test'
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
for batch in 8 64; do
  same_bits "CUDA graphs, resnet50 bf16 batch $batch" \
    "--model=resnet50 --batch_size=$batch --num_gpus=1 --use_fp16" --cuda_graph=off --cuda_graph=on
done
same_bits "CUDA graphs, two replicas on one GPU" \
  "--model=resnet20 --data_name=cifar10 --batch_size=32 --gpu_indices=0,0 --variable_update=replicated" \
  --cuda_graph=off --cuda_graph=on

# Sums of two do not depend on their order: then NCCL has to give the bits of copies.
if [ -n "${CUDA_VISIBLE_DEVICES:-}" ]; then
  gpus=$(printf '%s\n' "$CUDA_VISIBLE_DEVICES" | tr ',' '\n' | grep -c .)
else
  gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
fi
if [ "$gpus" -ge 2 ]; then
  same_bits "NCCL on two GPUs" \
    "--model=resnet50 --batch_size=32 --num_gpus=2 --variable_update=replicated" \
    --all_reduce_spec=xring --all_reduce_spec=nccl "--all_reduce_spec=nccl --cuda_graph=on"
  for spec in nccl collective xring psgpu; do
    run "resnet50, bf16, batch 64, all $gpus GPUs, $spec" --model=resnet50 --batch_size=64 \
      --num_gpus="$gpus" --use_fp16 --variable_update=replicated --all_reduce_spec="$spec"
  done
else
  say "skipped NCCL on several GPUs: it needs two, here is $gpus"
fi
run "resnet50, bf16, batch 256: the figure to beat" --model=resnet50 --batch_size=256 --num_gpus=1 --use_fp16
say "$([ "$failed" -eq 0 ] && echo 'all passed' || echo 'some FAILED')"
exit "$failed"
