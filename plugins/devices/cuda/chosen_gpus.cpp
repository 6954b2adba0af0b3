#include "plugins/devices/cuda/chosen_gpus.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stdexcept>

namespace convoy::cuda {
namespace {

std::string how_many(const PresentGpus& present) {
  const std::string count =
      present.count == 1 ? "one GPU" : std::to_string(present.count) + " GPUs";
  if (!present.visible) return "this machine has " + count;
  const std::string notice = left_out_notice(present);
  return notice.empty() ? "CUDA_VISIBLE_DEVICES='" + *present.visible + "' leaves it " + count
                        : notice;
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
                                  ": it must be device numbers with commas: 0,2,1,3; ids such as "
                                  "GPU-8932f937 go into CUDA_VISIBLE_DEVICES");
    numbers.push_back(number);
    position = after == end ? end : after + 1;
  }
  return numbers;
}

}  // namespace

std::string left_out_notice(const PresentGpus& present) {
  if (!present.visible || present.visible->empty()) return {};
  const auto entries = 1 + std::count(present.visible->begin(), present.visible->end(), ',');
  if (entries <= present.count) return {};
  return "of the " + std::to_string(entries) + " entries of CUDA_VISIBLE_DEVICES='" +
         *present.visible + "' CUDA takes " + std::to_string(present.count) +
         ": the first that names no GPU ends the list, and of slices (MIG) a process gets one";
}

std::vector<int> choose_gpus(const std::string& indices, std::uint32_t wanted,
                             const PresentGpus& present) {
  std::vector<int> chosen = parse(indices);
  if (chosen.empty()) {
    if (wanted > static_cast<std::uint32_t>(present.count))
      throw std::invalid_argument(std::to_string(wanted) + " CUDA devices asked for, " +
                                  how_many(present) +
                                  "; several devices on one GPU: --gpu_indices=0,0");
    chosen.resize(wanted == 0 ? static_cast<std::size_t>(present.count) : wanted);
    std::iota(chosen.begin(), chosen.end(), 0);
  }
  for (const int index : chosen)
    if (index >= present.count)
      throw std::invalid_argument("gpu_indices=" + indices + ": " + how_many(present) +
                                  ", so that there is no GPU " + std::to_string(index));
  if (wanted != 0 && wanted != chosen.size())
    throw std::invalid_argument("gpu_indices=" + indices + " lists " +
                                std::to_string(chosen.size()) + " devices, but " +
                                std::to_string(wanted) + " are asked for");
  return chosen;
}

}  // namespace convoy::cuda
