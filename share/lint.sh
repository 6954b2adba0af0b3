#!/bin/sh
# Checks the style of what differs from a revision (default: the branch point from main), or of
# everything with --all: clang-format and clang-tidy on sources, shellcheck on scripts.
#   sh share/lint.sh [REVISION | --all]
# shellcheck disable=SC2086  # lists of words
set -eu
cd "$(dirname "$0")/.."
for tool in clang-format clang-tidy shellcheck; do
  command -v "$tool" >/dev/null || {
    echo "lint: install $tool first (the Debian package of that name)" >&2
    exit 3
  }
done
if [ "${1:-}" = "--all" ]; then
  files=$(git ls-files)
else
  base=${1:-$(git merge-base HEAD main)}
  files=$(git diff --name-only --diff-filter=d "$base")
fi

# chosen PATTERN: the files that have such a name. The frozen headers of the ABI stay as they are;
# templates are no C++ before they are filled in.
chosen() {
  printf '%s\n' "$files" | grep -v -e '^tests/abi/abi_' -e '^share/templates/' | grep -E "$1" || true
}

scripts() {
  chosen . | while read -r file; do
    case "$file" in
      *.sh) echo "$file" ;;
      *) ! head -n 1 "$file" | grep -q '^#!/bin/sh' || echo "$file" ;;
    esac
  done
}

# The sources that are compiled; where not all are, also one for each header, which includes it.
sources() {
  chosen '\.cpp$'
  [ "$1" = "--all" ] || chosen '\.(hpp|h)$' | while read -r header; do
    git grep -lE "#include [<\"]${header#core/include/}[>\"]" -- '*.cpp' | head -n 1
  done
}

# unused_names SOURCE...: those that a source takes over and does not use. clang-tidy looks for them
# only in a source by itself, not in a batch.
unused_names() {
  awk '
    function report(name) {
      for (name in line) if (uses[name] < 2) {
        print file ":" line[name] ": the name " name " is taken over and not used"
        bad = 1
      }
    }
    FNR == 1 { report(); delete line; delete uses; file = FILENAME }
    /^ *(using (::)?([A-Za-z_0-9]+::)+[A-Za-z_0-9]+;|namespace [a-z_]+ = )/ {
      name = $0
      sub(/ = .*|;.*/, "", name)
      sub(/.*[: ]/, "", name)
      line[name] = FNR
    }
    { count = split($0, words, /[^A-Za-z0-9_]+/); for (i = 1; i <= count; ++i) ++uses[words[i]] }
    END { report(); exit bad }' "$@"
}

# units SOURCES: what the build compiles that holds these sources, batches and single files. Those that
# hold the same, as the models of a family do, count once.
units() {
  paths=$(printf '%s\n' "$1" | sed "s,^,$PWD/,")
  sed -n 's/^ *"file": "\(.*\)",*$/\1/p' build/tidy/compile_commands.json | sort -u |
    grep -v '/convoy_later_' | while read -r unit; do
      case "$unit" in
        */Unity/*) ! grep -qF "$paths" "$unit" || echo "$unit" ;;
        *) ! printf '%s\n' "$paths" | grep -qxF "$unit" || echo "$unit" ;;
      esac
    done | xargs -r cksum | sort -u -k 1,2 | cut -d " " -f 3-
}

# Batches share the reading of headers, which is what takes long. They include sources, and names in
# one of these may hide those of another: GCC's own warning of that is the one that counts.
tidy() {
  cmake --preset tidy >/dev/null
  generated=$(ninja -C build/tidy -t targets all | sed -n 's/^\(.*\.pb\.h\): CUSTOM_COMMAND.*/\1/p')
  ninja -C build/tidy $generated >/dev/null
  units "$1" | xargs -r -P "$(nproc)" -n 1 clang-tidy --quiet -p build/tidy \
    --checks=-bugprone-suspicious-include --extra-arg=-Wno-shadow \
    --header-filter="^$PWD/(core|topology|plugins|models|share|tests)/.*\.(hpp|h|cpp)$"
}

found=$(scripts)
[ -z "$found" ] || shellcheck --external-sources --source-path=SCRIPTDIR $found
found=$(chosen '\.(cpp|hpp|h|c|cu|cuh)$')
[ -z "$found" ] || clang-format --dry-run -Werror $found
found=$(sources "${1:-}" | sort -u)
[ -n "$found" ] || exit 0
unused_names $found
tidy "$found"
