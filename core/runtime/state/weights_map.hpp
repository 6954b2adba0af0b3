#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace convoy::runtime {

// Where one tensor of a model comes from.
struct WeightsSource {
  std::string from;        // its name in the file
  std::uint64_t rows = 0;  // rows to insert before it, along the first dimension
  float row_value = 0;     // the value of these rows
};

// The names of a model's tensors in files of another program. A JSON object:
//   "tensors": {"conv0/kernel": "features.0.weight",
//               "affine2/biases": {"from": "classifier.6.bias", "rows": 1, "row_value": -10000}},
//   "ignored_suffixes": [".num_batches_tracked"]
// Other entries are comments.
struct WeightsMap {
  std::map<std::string, WeightsSource> tensors;  // by the name in convoy's checkpoints
  std::vector<std::string> ignored_suffixes;     // suffixes of names in the file
};

// Reads the map. Error kUsage names the file and what is wrong with it. The number of rows must be
// whole, and their value must be a number of 32 bits.
WeightsMap read_weights_map(const std::filesystem::path& path);

}  // namespace convoy::runtime
