#!/bin/sh
# Makes one directory with the program, its plug-ins and every library that they need beyond glibc and
# drivers, and packs it: for machines where nothing can be installed.
#   sh share/bundle.sh [--prefix FOLDER] [--output FOLDER] [--no-archive]
# --prefix is what `cmake --install` made; without it the program is built (build/portable, with CUDA
# kernels for all architectures that the toolkit knows) and installed. The result,
# convoy-VERSION-linux-ARCHITECTURE and its .tar.xz, lies in --output (default build/bundle).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
prefix=""
output="$root/build/bundle"
archive=yes
usage() {
  echo "bundle: $1; usage: sh share/bundle.sh [--prefix FOLDER] [--output FOLDER] [--no-archive]" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix | --output)
      [ $# -ge 2 ] || usage "$1 needs a folder"
      [ "$1" = --prefix ] && prefix=$2 || output=$2
      shift 2 ;;
    --no-archive) archive=no; shift ;;
    *) usage "'$1' is not understood" ;;
  esac
done

if [ -z "$prefix" ]; then
  sh "$root/share/install_dependencies.sh"
  sh "$root/share/build.sh" portable convoy_program
  prefix="$root/build/bundle_prefix"
  rm -rf "$prefix"
  cmake --install "$root/build/portable" --prefix "$prefix" >/dev/null
fi
[ -x "$prefix/bin/convoy" ] || usage "there is no bin/convoy in --prefix $prefix"

version=$("$prefix/bin/convoy" --version | awk '{print $2}')
name="convoy-$version-linux-$(uname -m)"
bundle="$output/$name"
rm -rf "$bundle" "$bundle.tar.xz"
mkdir -p "$bundle"
cp -R "$prefix/bin" "$prefix/lib" "$prefix/share" "$bundle/"
cp "$root/LICENSE" "$bundle/"
cp "$root/share/bundle/README.txt" "$bundle/"
cp "$root/share/bundle/convoy" "$bundle/convoy"
chmod 755 "$bundle/convoy"
[ -d "$prefix/include" ] && cp -R "$prefix/include" "$bundle/"
strip --strip-unneeded "$bundle/bin/convoy" "$bundle"/lib/convoy/*.so \
  "$bundle"/lib/convoy/plugins/*.so

# glibc's own libraries, the loader and what belongs to a driver come with the target; so do CUDA's
# libraries, which the launcher looks for there.
provided='^(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|nss_.*|BrokenLocale|mvec))\.so|^lib(cuda|cudart|cudnn|cublas|nccl|nvrtc|nvJitLink|nvidia)'
mkdir -p "$bundle/lib/bundled"
missing=$(ldd "$bundle/bin/convoy" "$bundle"/lib/convoy/*.so "$bundle"/lib/convoy/plugins/*.so |
  awk '$2 == "=>" && $3 == "not" {print $1}' | grep -Ev "$provided" | sort -u || true)
if [ -n "$missing" ]; then
  echo "bundle: these libraries are needed and not installed here: $(echo "$missing" | tr '\n' ' ')" >&2
  exit 3
fi
ldd "$bundle/bin/convoy" "$bundle"/lib/convoy/*.so "$bundle"/lib/convoy/plugins/*.so |
  awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' |
  sort -u | while read -r library file; do
    printf '%s\n' "$library" | grep -Eq "$provided" || cp -L "$file" "$bundle/lib/bundled/$library"
  done

glibc=$(find "$bundle" -type f \( -name '*.so*' -o -name convoy -path '*/bin/*' \) -exec objdump -T {} + 2>/dev/null |
  grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n -u | tail -n 1 | sed 's/GLIBC_//')
echo "$glibc" >"$bundle/lib/bundled/glibc_needed"
echo "$bundle: $(du -sm "$bundle" | cut -f1) MB, needs Linux on $(uname -m) with glibc $glibc or newer"
if [ "$archive" = yes ]; then
  tar -C "$output" -c "$name" | xz -T0 -6 >"$bundle.tar.xz"
  echo "$bundle.tar.xz: $(du -m "$bundle.tar.xz" | cut -f1) MB"
fi
