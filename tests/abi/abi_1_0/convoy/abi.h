/* convoy plug-in ABI, version 1.
 *
 * This header is the contract between the convoy host and its plug-ins (strategies, models,
 * devices, transports). It is plain C; the C++20 wrappers strategy.hpp, model.hpp, device.hpp and
 * transport.hpp are header-only and sit on top of it.
 *
 * Rules
 *  1. A plug-in exports two symbols: convoy_<kind>_v1, a function that returns a pointer to a
 *     constant table and does nothing else, and convoy_plugin_manifest, in the ELF section
 *     ".convoy.manifest": NUL-separated key=value text that the host reads without running code
 *     (convoy/manifest.hpp lists the keys; those that begin with "x-" are anybody's own).
 *     A device plug-in may export a third, convoy_device_waking_v1 (convoy/abi/waking.h).
 *  2. Structs that start with struct_size only grow at their end, have no padding, and have a size
 *     that is a multiple of 8. Whoever makes one sets struct_size to its own sizeof. Host and
 *     plug-in may be of different versions, either of them the newer one:
 *     - What is read: a field exists if and only if it ends within struct_size, and a missing field
 *       is zero. Bytes after those that the reader knows must be zero; otherwise the reader
 *       refuses. So zero in a new field always means "as before".
 *     - What is answered (parameters called `out`): the asker sets struct_size; the answer has at
 *       most that many bytes, and zeros where the asker knows more than the answerer.
 *     - Tables of functions (convoy_host, convoy_planner, convoy_graph_builder, and what entry
 *       points return) may have anything after what the reader knows. A slot exists if and only if
 *       it ends within struct_size and is not NULL: see CONVOY_HAS.
 *     - Arrays and members by value are of types that never change (marked frozen); arrays of
 *       structs that grow are arrays of pointers.
 *     In C++, convoy/sized.hpp does all this, and the wrappers use it.
 *  3. An unknown operation, layer kind, flag bit or non-zero reserved field is refused, never
 *     ignored, and so is a field of an operation or a buffer that its kind does not use and that is
 *     not 0 (place and replica of an operation excepted). In answers and events it is the other way
 *     round: unknown flags and kinds of events are ignored, an unknown kind of route or variable is
 *     UNKNOWN.
 *  4. Functions return 0, or non-zero (convoy_status) after set_error(context, text). After
 *     non-zero, out parameters mean nothing: what was to be made does not exist, and nobody frees
 *     it. Nothing throws across this boundary.
 *  5. Each side frees what it allocated. Pointers passed in are borrowed for the call unless the
 *     function says otherwise; strings are UTF-8 and end with a NUL. No C++ library types.
 *  6. Threads: unless a function says otherwise, calls on one instance (of a strategy, of a model),
 *     on one device and on one open transport never overlap, but may come from one thread after
 *     another. Calls on different ones may overlap. A convoy_context belongs to the call
 *     that it was passed to: it is used during that call only, by one thread at a time. Any call
 *     but those on an open device or transport may be made in a copy of the process (fork) first,
 *     in which only the calling thread goes on: what is needed for a plan, a kernel, a graph or a
 *     count starts no threads, and no driver that does not survive a fork.
 *  7. Plug-ins print nothing; they call log. Libraries stay loaded until the process ends.
 *  8. Counts are elements unless the name says bytes. Times are seconds.
 */
#ifndef CONVOY_ABI_H
#define CONVOY_ABI_H

#include <convoy/abi/common.h>
#include <convoy/abi/cuda_call.h>
#include <convoy/abi/device.h>
#include <convoy/abi/model.h>
#include <convoy/abi/operation.h>
#include <convoy/abi/program.h>
#include <convoy/abi/strategy.h>
#include <convoy/abi/submission.h>
#include <convoy/abi/transport.h>
#include <convoy/abi/waking.h>

#endif
