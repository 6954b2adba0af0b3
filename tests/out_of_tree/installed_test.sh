#!/bin/sh
# The installed program finds its plug-ins, its rules and its templates under its own prefix, also
# when the prefix is moved. Arguments: install prefix, working directory.
set -eu
. "$(dirname "$0")/functions.sh"

cp -R "$prefix" "$work/moved"
convoy="$work/moved/bin/convoy"

run list "$convoy" list
for plugin in 'device +cpu' 'model +lenet' 'model +resnet50' 'strategy +independent' \
  'strategy +parameter_server' 'strategy +replicated'; do
  contains list "^$plugin "
done
contains list "^files without a folder are in $work/moved/lib/convoy/plugins$"
if grep -q 'fixture' "$work/list.log"; then
  echo "a plug-in that is for tests only was installed" >&2
  exit 1
fi

set -- --model=lenet --batch_size=4 --num_batches=2 --num_warmup_batches=1 --device=cpu \
  --num_devices=2
run auto "$convoy" run "$@"
contains auto '--variable_update=auto takes'
contains auto '^total images/sec: [0-9]'
for strategy in independent parameter_server replicated; do
  run "run_$strategy" "$convoy" run "$@" --variable_update=$strategy
  contains "run_$strategy" '^total images/sec: [0-9]'
done

run new "$convoy" new strategy my_own --directory="$work/my_own"
contains new 'my_own\.cpp'
