#pragma once

#include <filesystem>

namespace convoy {

// Where convoy keeps what it may forget: $CONVOY_CACHE_DIR, else $XDG_CACHE_HOME/convoy, else
// $HOME/.cache/convoy; empty when the environment has none of them. Relative paths do not count.
std::filesystem::path cache_folder();

}  // namespace convoy
