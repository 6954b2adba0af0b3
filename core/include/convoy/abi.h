/* convoy plug-in ABI, version 1.
 *
 * This header is the contract between the convoy host and its plug-ins (strategies, models,
 * devices). It is plain C; the C++20 wrappers strategy.hpp, model.hpp and device.hpp are
 * header-only and sit on top of it.
 *
 * Rules
 *  1. A plug-in exports two symbols: convoy_<kind>_v1, a function that returns a pointer to a
 *     constant table and does nothing else, and convoy_plugin_manifest, in the ELF section
 *     ".convoy.manifest": NUL-separated key=value text that the host reads without running code.
 *  2. Tables and argument structs start with struct_size, only grow at their end and have no
 *     padding. A field exists if and only if it ends within struct_size; a table slot must also be
 *     non-null. Value types (marked frozen) never change.
 *  3. An unknown operation, layer kind, flag bit or non-zero reserved field is refused, never
 *     ignored.
 *  4. Functions return 0, or non-zero (convoy_status) after set_error(context, text), which
 *     copies the text. Nothing throws across this boundary.
 *  5. Each side frees what it allocated. Pointers passed in are borrowed for the call unless the
 *     function says otherwise. No C++ library types.
 *  6. Calls on one instance never overlap, except submit/wait of a device as stated there.
 *  7. Plug-ins print nothing; they call log. Libraries stay loaded until the process ends.
 *  8. Counts are elements unless the name says bytes. Times are seconds.
 */
#ifndef CONVOY_ABI_H
#define CONVOY_ABI_H

#include <convoy/abi/common.h>
#include <convoy/abi/device.h>
#include <convoy/abi/model.h>
#include <convoy/abi/operation.h>
#include <convoy/abi/program.h>
#include <convoy/abi/strategy.h>
#include <convoy/abi/submission.h>

#endif
