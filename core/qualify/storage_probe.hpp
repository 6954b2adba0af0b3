#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace convoy::qualify {

struct StorageRates {
  double write = 0;  // bytes per second, flushed to the medium
  double read = 0;   // bytes per second, dropped from the system's cache before
};

// Writes a file of this size in the folder, reads it and removes it. Error kUnavailable if the file
// cannot be written, with the folder and the system's reason.
StorageRates probe_storage(const std::filesystem::path& folder, std::uint64_t bytes);

// The rate of reading the files of a folder and its sub-folders, at most `bytes`. Nothing if there
// is less than a tenth of that.
std::optional<double> probe_reading(const std::filesystem::path& folder, std::uint64_t bytes);

}  // namespace convoy::qualify
