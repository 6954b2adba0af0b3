#pragma once

#include <string>
#include <string_view>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Reads XML that lstopo or hwloc wrote, in its versions 2 and 3, into a machine. hwloc itself is
// not used, because its releases refuse XML that is newer than they are. `source` names the text in
// facts and messages. Link speeds are those at the time of writing, which may be below the highest.
// The caller calls add_notes, because it may know more than the text. Throws Error (kUsage) for
// other versions, and for text that is damaged or hostile.
Machine read_hwloc_xml(std::string_view text, const std::string& source);

}  // namespace convoy::topology
