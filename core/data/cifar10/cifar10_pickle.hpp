#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::data {

// The content of a file of CIFAR-10's Python form.
struct Cifar10Batch {
  std::string pixels;                // kCifar10ImageBytes per label
  std::vector<std::int64_t> labels;  // as they stand in the file
};

// Reads a pickled dictionary with the keys data (an array of bytes, images x 3072, or its bytes)
// and labels (a list of integers). Other keys are ignored. Error(kFailed) names the file and what
// is missing or does not fit together. See Pickle for what the file may contain.
Cifar10Batch unpickle_cifar10(std::string_view bytes, const std::filesystem::path& path);

}  // namespace convoy::data
