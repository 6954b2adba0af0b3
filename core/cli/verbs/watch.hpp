#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace convoy {

// `convoy check NAME --watch ...`: checks at once, and again whenever the plug-in's file has
// changed, each time in a process of its own, because a plug-in stays loaded until its process
// ends. A file has changed when it has another time or size and has kept them for a moment: one
// that is being written is waited for, and one that is replaced is not missed. A signal ends it.
// Error for a plug-in that does not exist.
int watch_check(std::vector<std::string> arguments, std::ostream& out);

}  // namespace convoy
