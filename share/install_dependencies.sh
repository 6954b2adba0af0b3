#!/bin/sh
# Installs the Debian packages that convoy is built with, with --tests also those that only tests need,
# with --aarch64 also those of cross-builds, with --packages also those that make Debian packages.
# Does nothing when all are there.
set -eu

packages="g++ cmake ninja-build pkg-config git libboost-dev libboost-filesystem-dev
 libboost-program-options-dev libfmt-dev nlohmann-json3-dev
 libprotobuf-dev protobuf-compiler libgrpc++-dev protobuf-compiler-grpc libjpeg62-turbo-dev libhwloc-dev libpugixml-dev libdnnl-dev libisal-dev
 librandom123-dev libxxhash-dev libgtest-dev libgmock-dev libbenchmark-dev clang"
[ "${1:-}" != "--tests" ] || packages="$packages libopenmpi-dev openmpi-bin iproute2"
[ "${1:-}" != "--aarch64" ] || packages="$packages g++-aarch64-linux-gnu qemu-user-static"
[ "${1:-}" != "--packages" ] || packages="$packages dpkg-dev file"

missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
    missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "installing:$missing" >&2
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "run this as root once, or install sudo" >&2; exit 3; }
  as_root="sudo"
fi
$as_root apt-get update -qq >&2
# shellcheck disable=SC2086  # a list of words
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >&2
