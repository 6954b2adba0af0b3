#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace convoy::qualify {

struct StorageRates {
  double write = 0;  // bytes per second, until they are on the medium
  double read = 0;   // bytes per second, what the system had kept of them let go of before
};

// Writes a file of so many bytes in the folder, reads it and removes it. Error kUnavailable when
// the folder takes none: it names the folder and the system's reason.
StorageRates probe_storage(const std::filesystem::path& folder, std::uint64_t bytes);

// How fast the files of a folder are read, its sub-folders' too, at most so many bytes; nothing
// when there are less than a tenth of them.
std::optional<double> probe_reading(const std::filesystem::path& folder, std::uint64_t bytes);

}  // namespace convoy::qualify
