#!/bin/sh
# The transport that convoy new writes, plain sockets, is built against an installed convoy and passes
# the conformance test, by path and by name.
# Arguments: install prefix, working directory, cmake, C++ compiler.
set -eu
. "$(dirname "$0")/functions.sh"

run new "$convoy" new transport plain_socket --directory="$work/plain_socket"
build_strictly "$work/plain_socket"
transport="$work/build/plain_socket.so"

run list "$convoy" list --plugin_path="$transport"
contains list '^transport +plain_socket +0\.1\.0 .*/build/plain_socket\.so$'
run info "$convoy" info "$transport"
contains info '^reaches    tasks of any machine$'
contains info '^pairs      never take it by themselves$'

run check "$convoy" check "$transport"
contains check '^messages: of all sizes, expected before they are sent: right$'
contains check '^endings: a peer is killed: right$'
contains check '^waiting: for the descriptor: unsupported \(it has no descriptor'
contains check '^plain_socket: [0-9]+ right, 0 wrong, 1 unsupported$'
run by_name "$convoy" check plain_socket --plugin_path="$work/build" --only=refusals
contains by_name '^plain_socket: [0-9]+ right, 0 wrong, 0 unsupported$'

refused misspelled 3 "$convoy" check plain_sockte --plugin_path="$work/build"
contains misspelled 'did you mean plain_socket\?'
refused no_case 2 "$convoy" check "$transport" --only='nothing like this'
contains no_case 'no case has that in its name'
