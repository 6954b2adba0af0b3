#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

inline constexpr int kCifar10Size = 32;  // pixels in both directions
inline constexpr std::int64_t kCifar10ImageBytes = 3 * kCifar10Size * kCifar10Size;
inline constexpr std::int64_t kCifar10FileImages = 10000;
inline constexpr std::int32_t kCifar10LargestLabel = 9;  // the classifier has one class more

// A whole subset of CIFAR-10 in memory, in the order of the files.
struct Cifar10Images {
  std::vector<std::uint8_t> pixels;  // images x channels x rows x columns
  std::vector<std::uint8_t> labels;
  std::int64_t skipped = 0;  // number of images that cannot be used, with kSkip
  std::string skip_example;  // the reason for one of them
  // Files whose number of images differs from the published one, for people; empty if there are
  // none.
  std::string odd_files;

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
  const std::uint8_t* image(std::int64_t index) const {
    return pixels.data() + index * kCifar10ImageBytes;
  }
};

// Fails (kUnavailable) unless read_cifar10() would find the first file of the subset.
void require_cifar10(const std::filesystem::path& folder, Subset subset);

// Reads data_batch_1 to data_batch_5 or test_batch from `folder`, or from its folder
// cifar-10-batches-bin or cifar-10-batches-py, whichever has the first of these files. It reads the
// binary form (names end in .bin) or else the Python form. Fails (kUnavailable) on missing and
// unreadable files. Throws BadRecord, naming file and byte, for content that cannot be used. With
// the policy kSkip, it uses the images before a truncation and those with good labels instead.
Cifar10Images read_cifar10(const std::filesystem::path& folder, Subset subset,
                           BadRecordPolicy on_bad_record);

}  // namespace convoy::data
