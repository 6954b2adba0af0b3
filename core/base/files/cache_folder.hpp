#pragma once

#include <filesystem>

namespace convoy {

// Returns the folder for data that convoy can compute again: $CONVOY_CACHE_DIR, else
// $XDG_CACHE_HOME/convoy, else $HOME/.cache/convoy; empty if the environment has none of them. A
// relative CONVOY_CACHE_DIR is relative to the working folder. Relative values of the other two are
// ignored, as the XDG Base Directory Specification requires.
std::filesystem::path cache_folder();

}  // namespace convoy
