#!/bin/sh
# The bundle runs with no library from outside but glibc's, with an empty environment and through a
# link. Arguments: install prefix, working directory.
set -eu
. "$(dirname "$0")/functions.sh"

mkdir -p "$work/a folder"
run bundle sh "$here/../../share/bundle.sh" --prefix "$prefix" --output "$work/a folder" --no-archive
contains bundle 'needs Linux on .* with glibc 2\.[0-9]+ or newer'
set -- "$work/a folder"/convoy-*-linux-*
bundle=$1
contains_only_glibc_from_outside() {
  outside=$(LD_LIBRARY_PATH="$bundle/lib/bundled" ldd "$@" | sed -n 's/^[[:space:]]*\(.* => .*\) (0x.*/\1/p' |
    grep -v "$bundle/lib/bundled" | grep -Ev '^lib(c|m|dl|rt|pthread|resolv)\.so' || true)
  [ -z "$outside" ] && return
  echo "taken from outside the bundle: $outside" >&2
  exit 1
}
for file in "$bundle/bin/convoy" "$bundle"/lib/convoy/plugins/*.so "$bundle"/lib/bundled/*.so*; do
  contains_only_glibc_from_outside "$file"
done

ln -s "$bundle/convoy" "$work/link"
convoy="$work/link"
run list env -i "$convoy" list
contains list '^device +cpu '
contains list '^files without a folder are in .*/a folder/convoy-.*/lib/convoy/plugins$'
run train env -i "$convoy" run --model=lenet --batch_size=4 --num_batches=2 --device=cpu --num_devices=2 \
  --variable_update=replicated
contains train '^total images/sec: [0-9]'

printf '99.0\n' >"$bundle/lib/bundled/glibc_needed"
refused too_old 3 "$convoy" list
contains too_old 'needs glibc 99\.0, this system has 2\.'
refused no_folder 2 sh "$here/../../share/bundle.sh" --prefix
refused no_prefix 2 sh "$here/../../share/bundle.sh" --prefix "$work"
