#!/bin/sh
# A soak: trains with checkpoints and evaluations, and ends or disturbs the training every few seconds
# by SIGKILL, SIGTERM, SIGHUP, SIGINT and SIGUSR1. Nothing that was saved may be lost, memory may not
# grow, and no process or file may be left over. Half of the time one run lives on under SIGUSR1, the
# other half runs are ended and go on.
#   sh share/soak.sh PROGRAM MINUTES
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=$1
seconds=$(($2 * 60))
folder=$(mktemp -d)
checkpoints=$folder/checkpoints
pid=
clear_up() {
  status=$?
  [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || :
  rm -rf "$folder"
  exit $status
}
trap clear_up EXIT

complain() {
  echo "soak: $*" >&2
  echo "the run's last words:" >&2
  tail -n 5 "$folder/out" "$folder/err" >&2
  exit 1
}

# SIGHUP as for a program that nohup has not started. What the last run said goes first: this shell may
# look before the new one has begun.
start() {
  : >"$folder/out"
  : >"$folder/err"
  env --default-signal=HUP "$program" run --model=lenet --device=cpu --num_devices=1 --num_intra_threads=1 --batch_size=8 \
    --num_batches=1000000000 --num_warmup_batches=0 --variable_update=replicated \
    --init_learning_rate=0.001 --display_every=1 --data_dir="$root/share/sample_data/imagenet" \
    --train_dir="$checkpoints" --save_model_steps=20 --max_ckpts_to_keep=3 \
    --eval_during_training_every_n_steps=50 --num_eval_batches=2 \
    >"$folder/out" 2>"$folder/err" &
  pid=$!
}

# The step of the newest checkpoint, 0 without one.
newest() {
  find "$checkpoints" -maxdepth 1 -name 'model-*.safetensors' 2>/dev/null |
    sed -n 's/^.*\/model-\([0-9]*\)\.safetensors$/\1/p' | sort -n | tail -n 1 | grep . || echo 0
}

# Steps that this run has printed, and the step that it went on from.
printed() { grep -c 'images/sec:' "$folder/out" || :; }
restored() { sed -n 's/^.*restored .*: step \([0-9]*\),.*$/\1/p' "$folder/err" | grep . || echo 0; }

# Until a command is true, for some minutes at most.
await() {
  tries=3000
  until "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.1
  done
}
trains() { [ "$(printed)" -gt "$1" ]; }
saved_beyond() { [ "$(newest)" -gt "$1" ]; }
alive() { kill -0 "$pid" 2>/dev/null; }

# KiB of memory between what comes and goes with checkpoints and evaluations: the least of many looks.
resident() {
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$pid/status"
    sleep 0.5
  done | sort -n | head -n 1
}

# One run, told to save again and again: it goes on, and its memory stays what it was.
live_on() {
  start
  await trains 110 || complain "training did not begin"
  before=$(resident)
  saves=0
  while [ "$(date +%s)" -lt "$1" ]; do
    step=$(newest)
    kill -USR1 "$pid"
    await saved_beyond "$step" || complain "SIGUSR1 saved nothing beyond step $step"
    saves=$((saves + 1))
    sleep 2
  done
  alive || complain "the run ended by itself"
  after=$(resident)
  [ "$after" -le $((before + before / 20 + 4096)) ] ||
    complain "memory grew from $before to $after KiB in $(printed) steps"
  echo "soak: $saves times SIGUSR1 in $(printed) steps: $before KiB of memory became $after"
}

# Ends the run by a signal after a while and checks what is left.
end_by() {
  signal=$1
  expected=$2
  steps=$(printed)
  kept=$(newest)
  kill -"$signal" "$pid"
  code=0
  wait "$pid" 2>/dev/null || code=$?  # the shell says that it was killed
  [ "$code" -eq "$expected" ] || complain "SIG$signal ended it with code $code, not $expected"
  [ "$signal" = KILL ] || kept=$(($(restored) + steps))
  [ "$(newest)" -ge "$kept" ] || complain "step $kept was lost: the newest is $(newest)"
  pid=
}

# The next run begins where the last one stopped, and clears up what that one left.
go_on() {
  start
  await trains "$1" || complain "training did not go on"
  [ "$(restored)" -ge "$kept" ] || complain "it went on from step $(restored), not from $kept"
  for file in "$checkpoints"/*; do
    case $file in
      *.saving-"$pid") ;;
      *.saving-*) complain "a killed run's $file is left" ;;
    esac
  done
  [ "$(find "$checkpoints" -maxdepth 1 -name 'model-*' | wc -l)" -le 4 ] ||
    complain "old checkpoints are left"
}

begin=$(date +%s)
live_on $((begin + seconds / 2))
end_by TERM 143
ends=1
while [ "$(date +%s)" -lt $((begin + seconds)) ]; do
  for ending in "KILL 137" "TERM 143" "HUP 143" "KILL 137" "INT 130"; do
    go_on $((ends % 7 * 10))
    # shellcheck disable=SC2086  # a signal and its code
    end_by $ending
    ends=$((ends + 1))
  done
done
if pgrep -f "train_dir=$checkpoints" >/dev/null; then complain "a process is left"; fi
echo "soak: $ends runs were ended and went on: nothing was lost, step $(newest) is the newest"
