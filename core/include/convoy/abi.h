/* convoy plug-in ABI, version 1.
 *
 * This header is the contract between the convoy host and its plug-ins (strategies, models,
 * devices, transports). It is plain C; the C++20 wrappers strategy.hpp, model.hpp, device.hpp and
 * transport.hpp are header-only and sit on top of it.
 *
 * Rules
 *  1. A plug-in exports two symbols: convoy_<kind>_v1, a function that returns a pointer to a
 *     constant table and does nothing else, and convoy_plugin_manifest, in the ELF section
 *     ".convoy.manifest": NUL-separated key=value text that the host reads without running code.
 *     convoy/manifest.hpp lists the keys; keys that begin with "x-" are free for the plug-in's own
 *     use. A device plug-in may export a third, convoy_device_waking_v1 (convoy/abi/waking.h).
 *  2. Structs that start with struct_size only grow at their end, have no padding, and have a size
 *     that is a multiple of 8. The side that makes a struct sets struct_size to its own sizeof.
 *     Host and plug-in may have different versions, and either may be the newer one:
 *     - Structs that are read: a field exists if and only if it ends within struct_size, and a
 *       missing field is zero. Bytes after the last field that the reader knows must be zero;
 *       otherwise the reader refuses the struct. So zero in a new field always means "as before".
 *     - Structs that are answered (parameters called `out`): the caller sets struct_size. The
 *       answer has at most that many bytes, and zeros in fields that the answering side does not
 *       know.
 *     - Tables of functions (convoy_host, convoy_planner, convoy_graph_builder, and what entry
 *       points return) may have any bytes after the last slot that the reader knows. A slot exists
 *       if and only if it ends within struct_size and is not NULL: see CONVOY_HAS.
 *     - Arrays by value and members by value have types that never change (marked frozen). Structs
 *       that grow are passed in arrays of pointers.
 *     In C++, convoy/sized.hpp implements these rules, and the wrappers use it.
 *  3. An unknown operation, layer kind, flag bit or non-zero reserved field is refused, never
 *     ignored. A field of an operation or a buffer that its kind does not use must be 0; otherwise
 *     it is refused (except place and replica of an operation). Answers and events are read
 *     leniently: unknown flags and kinds of events are ignored, and an unknown kind of route or
 *     variable counts as UNKNOWN.
 *  4. Functions return 0, or non-zero (convoy_status) after set_error(context, text). After
 *     non-zero, out parameters are undefined: the object was not made, and the caller does not free
 *     it. No exception crosses this boundary.
 *  5. Each side frees what it allocated. Pointers passed in are borrowed for the call unless the
 *     function says otherwise; strings are UTF-8 and end with a NUL. No C++ library types.
 *  6. Threads: unless a function says otherwise, calls on one instance (of a strategy, of a model),
 *     on one device and on one open transport never overlap, but may come from different threads.
 *     Calls on different objects may overlap. A convoy_context belongs to the call that it was
 *     passed to: it is used during that call only, by one thread at a time. The host may first make
 *     any call in a forked child process, except calls on an open device or transport. fork()
 *     copies only the calling thread. So functions that give a plan, a kernel, a graph or a count
 *     start no threads, and no driver that does not survive a fork.
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
