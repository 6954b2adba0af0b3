#pragma once

#include <filesystem>

namespace convoy {

// Where convoy keeps what it may forget: $CONVOY_CACHE_DIR, else $XDG_CACHE_HOME/convoy, else
// $HOME/.cache/convoy; empty when the environment has none of them. A relative CONVOY_CACHE_DIR is
// in the working folder. The others do not count when they are relative, as the XDG Base Directory
// Specification says.
std::filesystem::path cache_folder();

}  // namespace convoy
