#include "plugins/devices/cuda/chosen_gpus.hpp"

#include <charconv>
#include <numeric>
#include <stdexcept>

namespace convoy::cuda {
namespace {

std::string how_many(int present) {
  return present == 1 ? "this machine has one GPU"
                      : "this machine has " + std::to_string(present) + " GPUs";
}

std::vector<int> parse(const std::string& text) {
  std::vector<int> numbers;
  const char* position = text.data();
  const char* const end = position + text.size();
  while (position != end) {
    int number = -1;
    const auto [after, error] = std::from_chars(position, end, number);
    const bool separated = after == end || (*after == ',' && after + 1 != end);
    if (error != std::errc() || number < 0 || !separated)
      throw std::invalid_argument("gpu_indices=" + text +
                                  ": it must be device numbers with commas: 0,2,1,3");
    numbers.push_back(number);
    position = after == end ? end : after + 1;
  }
  return numbers;
}

}  // namespace

std::vector<int> choose_gpus(const std::string& indices, std::uint32_t wanted, int present) {
  std::vector<int> chosen = parse(indices);
  if (chosen.empty()) {
    if (wanted > static_cast<std::uint32_t>(present))
      throw std::invalid_argument(std::to_string(wanted) + " CUDA devices asked for, " +
                                  how_many(present) +
                                  "; several devices on one GPU: --gpu_indices=0,0");
    chosen.resize(wanted == 0 ? static_cast<std::size_t>(present) : wanted);
    std::iota(chosen.begin(), chosen.end(), 0);
  }
  for (const int index : chosen)
    if (index >= present)
      throw std::invalid_argument("gpu_indices=" + indices + ": " + how_many(present) +
                                  ", so that there is no GPU " + std::to_string(index));
  if (wanted != 0 && wanted != chosen.size())
    throw std::invalid_argument("gpu_indices=" + indices + " lists " +
                                std::to_string(chosen.size()) + " devices, but " +
                                std::to_string(wanted) + " are asked for");
  return chosen;
}

}  // namespace convoy::cuda
