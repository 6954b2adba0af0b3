#!/bin/sh
# Installs what is missing, builds what has changed and hands all arguments to `convoy run`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
sh "$root/share/install_dependencies.sh"
sh "$root/share/build.sh" release convoy_program
exec "$root/build/release/bin/convoy" run "$@"
