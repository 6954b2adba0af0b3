#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace convoy::cli {

// `convoy check NAME --watch ...`: checks at once, and again whenever the plug-in's file has
// changed. Each check runs in its own process, because a plug-in stays loaded until its process
// ends. A file counts as changed when it has another time or size and has kept both for a moment.
// So a file that is still being written is not checked, and a replaced file is noticed. A signal
// ends the loop. Error for a plug-in that does not exist.
int watch_check(std::vector<std::string> arguments, std::ostream& out);

}  // namespace convoy::cli
