#!/bin/sh
# share/aarch64_sysroot.sh FOLDER: this Debian's arm64 packages of the libraries that convoy is built
# with, unpacked into the folder, for cmake/aarch64.cmake. Nothing of them is installed. Does nothing
# when the folder is complete.
set -eu
[ -f "$1/complete" ] && exit 0
mkdir -p "$1"
root=$(cd "$1" && pwd)
work="$root/packages"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/preferences.d"
: >"$work/status"
# shellcheck source=/dev/null  # each system has its own
. /etc/os-release
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
  "http://deb.debian.org/debian $VERSION_CODENAME main" >"$work/sources.list"

# apt with a state of its own, for another architecture.
arm64_apt() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= \
    -o Dir::State="$work" -o Dir::State::status="$work/status" -o Dir::Cache="$work" \
    -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::Etc::preferencesparts="$work/preferences.d" "$@"
}

libraries=$(sed -n '/^packages=/,/"$/p' "$(dirname "$0")/install_dependencies.sh" | tr -d '"' |
  tr ' ' '\n' | grep -E '^(lib|nlohmann).*-dev$' | grep -v -e openmpi)
echo "unpacking arm64 packages into $root ..." >&2
arm64_apt update
# shellcheck disable=SC2086  # a list of words
arm64_apt install -y --no-install-recommends --download-only libstdc++-12-dev $libraries >/dev/null
for package in "$work"/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
# Links to /lib are to lead into the folder.
find "$root" -type l -lname '/*' | while read -r link; do
  ln -sfn "$root$(readlink "$link")" "$link"
done
rm -r "$work"
touch "$root/complete"
