#include "plugins/devices/cuda/gpu/chosen_gpus.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <stdexcept>
#include <string_view>

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

bool is_id(std::string_view entry) {
  return entry.starts_with("GPU-") || entry.starts_with("MIG-");
}

bool begins(std::string_view id, std::string_view text) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return text.size() <= id.size() && std::ranges::equal(id.substr(0, text.size()), text, same);
}

int gpu_of_id(std::string_view entry, const PresentGpus& present) {
  constexpr std::size_t kPrefix = 4;
  std::vector<int> found;
  for (std::size_t i = 0; i < present.ids.size(); ++i)
    if (begins(present.ids[i], entry.substr(kPrefix))) found.push_back(static_cast<int>(i));
  if (found.size() == 1) return found.front();
  throw std::invalid_argument(
      "gpu_indices lists " + std::string(entry) + ", which " +
      (found.empty() ? "is the id of no GPU here" : "begins the ids of several GPUs") + "; " +
      how_many(present) + ", and nvidia-smi -L shows their ids");
}

int gpu_of(std::string_view entry, const std::string& indices, const PresentGpus& present) {
  if (is_id(entry)) return gpu_of_id(entry, present);
  int number = -1;
  const char* const end = entry.data() + entry.size();
  const auto [after, error] = std::from_chars(entry.data(), end, number);
  if (error != std::errc() || after != end || number < 0)
    throw std::invalid_argument("gpu_indices=" + indices +
                                ": it must be numbers or ids with commas between them: 0,2,1,3 or "
                                "GPU-8932f937,GPU-5c17aaaa");
  return number;
}

std::vector<std::string_view> entries_of(std::string_view list) {
  std::vector<std::string_view> entries;
  for (std::size_t first = 0; !list.empty() && first <= list.size();) {
    const std::size_t end = std::min(list.find(',', first), list.size());
    entries.push_back(list.substr(first, end - first));
    first = end + 1;
  }
  return entries;
}

}  // namespace

bool lists_ids(const std::string& indices) {
  return std::ranges::any_of(entries_of(indices), is_id);
}

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
  std::vector<int> chosen;
  for (const std::string_view entry : entries_of(indices))
    chosen.push_back(gpu_of(entry, indices, present));
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
