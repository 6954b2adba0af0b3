#!/bin/sh
# Makes Debian packages of the optimised build: convoy and libconvoy-dev.
#   sh share/package.sh [FOLDER]
# They lie in FOLDER, build/packages otherwise; lintian looks at them where it is installed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build/packages}
sh "$root/share/install_dependencies.sh" --packages
sh "$root/share/build.sh" release convoy_program convoy_engine
mkdir -p "$folder"
log="$root/build/package.log"
cpack --config "$root/build/release/CPackConfig.cmake" -B "$folder" >"$log" 2>&1 ||
  { tail -n 40 "$log" >&2; exit 1; }
rm -rf "$folder/_CPack_Packages"
ls -1 "$folder"/*.deb
if command -v lintian >/dev/null; then
  lintian --fail-on error --suppress-tags bad-distribution-in-changes-file "$folder"/*.deb
fi
