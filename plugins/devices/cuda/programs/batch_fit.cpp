#include "plugins/devices/cuda/programs/batch_fit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

namespace convoy::cuda {
namespace {

// The fastest algorithms rarely need more.
constexpr std::uint64_t kMostWorkspace = std::uint64_t{1} << 30;

std::string in_megabytes(std::uint64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f MB", static_cast<double>(bytes) / 1e6);
  return text.data();
}

std::uint64_t all_programs(const MemoryNeed& need, std::uint32_t batch, const MemoryOffer& offer) {
  return need(batch) * offer.programs;
}

std::string parts_text(std::uint64_t program, const MemoryOffer& offer) {
  std::string text = in_megabytes(program) + " for layers";
  if (offer.programs > 1)
    text += " of each of " + std::to_string(offer.programs) + " devices on this GPU";
  return text + ", " + in_megabytes(offer.held) +
         " for parameters, gradients, optimizer state and the strategy's buffers";
}

}  // namespace

std::uint32_t largest_batch(const MemoryNeed& need, std::uint32_t most, const MemoryOffer& offer) {
  std::uint32_t fits = 0;
  std::uint32_t beyond = most + 1;  // the smallest batch known to be beyond the limit or not to fit
  while (fits + 1 < beyond) {
    const std::uint32_t middle = fits + (beyond - fits) / 2;
    if (all_programs(need, middle, offer) <= offer.available)
      fits = middle;
    else
      beyond = middle;
  }
  return fits;
}

std::string batch_problem(const MemoryNeed& need, std::uint32_t batch, const MemoryOffer& offer) {
  const std::uint64_t needed = all_programs(need, batch, offer);
  if (needed <= offer.available) return {};
  const std::string text = "a batch of " + std::to_string(batch) + " images needs " +
                           in_megabytes(needed + offer.held) + " of the GPU's memory (" +
                           parts_text(need(batch), offer) + "), " +
                           in_megabytes(offer.available + offer.held) + " are available; ";
  const std::uint32_t fits = largest_batch(need, batch - 1, offer);
  if (fits == 0)
    return text + "not even one image fits: end other programs on the GPU, or take a larger one";
  return text + "the largest batch that fits is --batch_size=" + std::to_string(fits);
}

std::uint64_t workspace_limit(std::uint64_t available) {
  return std::min(kMostWorkspace, std::bit_floor(available / 8));
}

std::string plan_problem(std::uint64_t wanted, std::uint64_t available, std::uint64_t held) {
  return "parameters, gradients, optimizer state and the strategy's buffers do not fit into the "
         "GPU's memory: they have " +
         in_megabytes(held) + " so far, another " + in_megabytes(wanted) + " are wanted, " +
         in_megabytes(available) +
         " are free. The batch size does not matter here: end other programs on the GPU, put fewer "
         "devices on it, or take a strategy or an optimizer that keeps less";
}

}  // namespace convoy::cuda
