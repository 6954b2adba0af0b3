#!/bin/sh
# compile_cuda.sh LISTING COMMAND...: runs a compilation by nvcc with ptxas's --verbose; what that
# says of registers, memory and spills of every kernel goes to the file, all else to standard error.
listing=$1
shift
"$@" 2>"$listing.all"
result=$?
about='^ptxas info\|bytes stack frame'
grep "$about" "$listing.all" >"$listing"
grep -v "$about" "$listing.all" >&2
rm -f "$listing.all"
exit $result
