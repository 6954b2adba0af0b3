#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace convoy::qualify {

struct StorageRates {
  double write = 0;  // bytes per second, flushed to the medium
  double read = 0;   // bytes per second, from the medium instead of the system's cache
};

// Writes a file of this size in the folder, reads it and removes it. Throws Error (kUnavailable)
// with the folder and the system's reason if the file cannot be written.
StorageRates probe_storage(const std::filesystem::path& folder, std::uint64_t bytes);

// Measures the rate of reading the files of a folder and its sub-folders, up to `bytes`. Returns
// nothing if they have less than a tenth of that.
std::optional<double> probe_reading(const std::filesystem::path& folder, std::uint64_t bytes);

}  // namespace convoy::qualify
