#!/bin/sh
# Checks the style of what differs from a revision (default: the branch point from main), or of
# everything with --all, which takes an hour on two cores: clang-format on all sources, clang-tidy on
# those that the debug build compiles.
#   sh share/lint.sh [REVISION | --all]
set -eu
cd "$(dirname "$0")/.."
command -v clang-format >/dev/null && command -v clang-tidy >/dev/null || {
  echo "lint: install clang-format and clang-tidy first (Debian packages of that name)" >&2
  exit 3
}
if [ "${1:-}" = "--all" ]; then
  files=$(git ls-files '*.cpp' '*.hpp' '*.h' '*.c')
else
  base=${1:-$(git merge-base HEAD main)}
  files=$(git diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.hpp' '*.h' '*.c')
fi
# The frozen headers of the ABI stay as they are; templates are no C++ before they are filled in.
files=$(printf '%s\n' "$files" | grep -v -e '^tests/abi/abi_' -e '^share/templates/' || true)
[ -n "$files" ] || { echo "lint: nothing to check"; exit 0; }
# shellcheck disable=SC2086  # a list of words
clang-format --dry-run -Werror $files
# The debug build has one command per source, the others join sources.
cmake --preset debug >/dev/null
sources=$(printf '%s\n' "$files" | grep '\.cpp$' | while read -r file; do
  ! grep -qF "\"file\": \"$PWD/$file\"" build/debug/compile_commands.json || echo "$file"
done)
[ -n "$sources" ] || { echo "lint: nothing to compile"; exit 0; }
printf '%s\n' "$sources" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/debug
