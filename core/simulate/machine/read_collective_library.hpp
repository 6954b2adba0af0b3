#pragma once

#include <filesystem>
#include <memory>

#include "core/simulate/collectives/collective_library.hpp"

namespace convoy::simulate {

// collectives.json of the catalogue. Throws Error (kUsage) with file, line and field.
std::shared_ptr<const CollectiveLibrary> read_collective_library(const std::filesystem::path& file);

}  // namespace convoy::simulate
