#!/bin/sh
# Installs what is missing, builds what has changed and hands all arguments to `convoy run`. Without
# arguments: a first run that takes less than a minute, and where to look next.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
sh "$root/share/install_dependencies.sh"
sh "$root/share/build.sh" release convoy_program
convoy="$root/build/release/bin/convoy"
[ $# -eq 0 ] || exec "$convoy" run "$@"

page="$root/build/first_run.html"
"$convoy" run --model=resnet50 --num_warmup_batches=1 --num_batches=10 --report="$page"
cat <<TEXT

Next:
  $page
      what this run was like: open it in a browser
  $convoy run --help
      its common flags, with examples
  $convoy compare --models=lenet --num_devices=1,2
      strategies and numbers of devices side by side
  $convoy simulate --platform=dgx1-p100 --model=resnet50 --num_gpus=1,8
      the same on a machine that you do not own
  $convoy doctor
      whether this machine is ready, and what to do if not
  $convoy qualify --quick
      whether it is as fast as it should be
README.md says more; share/docs has a page for each subject.
TEXT
