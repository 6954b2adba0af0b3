#include "plugins/devices/cuda/batch_fit.hpp"

#include <array>
#include <cstdio>

namespace convoy::cuda {
namespace {

std::string in_megabytes(std::uint64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f MB", static_cast<double>(bytes) / 1e6);
  return text.data();
}

}  // namespace

std::uint32_t largest_batch(const MemoryNeed& need, std::uint32_t most, std::uint64_t available) {
  std::uint32_t fits = 0;
  std::uint32_t beyond = most + 1;  // the smallest known not to be asked for, or not to fit
  while (fits + 1 < beyond) {
    const std::uint32_t middle = fits + (beyond - fits) / 2;
    if (need(middle) <= available)
      fits = middle;
    else
      beyond = middle;
  }
  return fits;
}

std::string batch_problem(const MemoryNeed& need, std::uint32_t batch, std::uint64_t available) {
  const std::uint64_t needed = need(batch);
  if (needed <= available) return {};
  const std::string text = "a batch of " + std::to_string(batch) + " images needs " +
                           in_megabytes(needed) +
                           " of the GPU's memory besides parameters and "
                           "buffers of the strategy, " +
                           in_megabytes(available) + " are free; ";
  const std::uint32_t fits = largest_batch(need, batch - 1, available);
  if (fits == 0)
    return text + "not even one image fits: end other programs on the GPU, or take a larger one";
  return text + "the largest batch that fits is --batch_size=" + std::to_string(fits);
}

}  // namespace convoy::cuda
