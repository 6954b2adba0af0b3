#pragma once

#include <filesystem>
#include <memory>

#include "core/simulate/collectives/collective_library.hpp"

namespace convoy::simulate {

// Reads the catalogue's collectives.json. Throws Error (kUsage) with file, line and field.
std::shared_ptr<const CollectiveLibrary> read_collective_library(const std::filesystem::path& file);

}  // namespace convoy::simulate
