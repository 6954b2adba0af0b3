#include "topology/detect/gpu_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "topology/graph/gpu_order.hpp"

namespace convoy::topology {
namespace {

enum class EntryKind { number, gpu, slice, other };

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

EntryKind kind_of(std::string_view entry) {
  if (entry.starts_with("GPU-")) return EntryKind::gpu;
  if (entry.starts_with("MIG-")) return EntryKind::slice;
  return !entry.empty() && std::isdigit(static_cast<unsigned char>(entry.front())) != 0
             ? EntryKind::number
             : EntryKind::other;
}

bool all_alike(std::span<const DriverGpu> gpus) {
  return std::ranges::all_of(gpus, [&](const DriverGpu& it) { return it.model == gpus[0].model; });
}

// "MIG-GPU-<uuid>/<GPU instance>/<compute instance>": the names of slices in drivers before 470.
std::string old_name(const DriverGpu& gpu, const GpuSlice& slice) {
  return fmt::format("MIG-{}/{}/{}", gpu.uuid, slice.gpu_instance, slice.compute_instance);
}

class Selector {
 public:
  Selector(const GpuVariables& variables, std::span<const DriverGpu> gpus)
      : variables_(variables), gpus_(gpus), by_address_(gpus.size()) {
    std::iota(by_address_.begin(), by_address_.end(), std::size_t{0});
    std::ranges::stable_sort(by_address_, {}, [&](std::size_t i) { return gpus_[i].address; });
  }

  GpuSelection select() {
    if (variables_.visible)
      read_list(*variables_.visible);
    else
      take_all();
    keep_one_slice();
    return std::move(result_);
  }

 private:
  bool numbered_by_address() const { return variables_.order == "PCI_BUS_ID" || all_alike(gpus_); }

  void give_up(std::string remark) {
    result_.certain = false;
    result_.chosen.clear();
    result_.remarks.push_back(std::move(remark));
  }

  void take_all() {
    result_.numbered = numbered_by_address();
    for (const std::size_t gpu : by_address_) {
      if (!gpus_[gpu].split) result_.chosen.push_back({gpu, {}});
      for (std::size_t i = 0; i < gpus_[gpu].slices.size(); ++i) result_.chosen.push_back({gpu, i});
    }
  }

  void read_list(std::string_view list) {
    if (trimmed(list).empty()) return;
    const EntryKind kind = kind_of(trimmed(list.substr(0, list.find(','))));
    std::size_t position = 0;
    for (bool more = true; more && result_.certain;) {
      const std::size_t comma = list.find(',');
      const std::string_view entry = trimmed(list.substr(0, comma));
      more = comma != std::string_view::npos;
      list.remove_prefix(more ? comma + 1 : list.size());
      ++position;
      const std::vector<ChosenGpu> found = named(entry, kind);
      if (!result_.certain) return;
      if (found.size() != 1) return end_list(entry, found.size(), position, more);
      if (std::ranges::find(result_.chosen, found[0]) != result_.chosen.end()) return repeat(entry);
      result_.chosen.push_back(found[0]);
    }
  }

  // Returns what an entry names: one GPU or slice, several whose ids begin with it, or nothing. All
  // entries of a list must be of one kind.
  std::vector<ChosenGpu> named(std::string_view entry, EntryKind kind) {
    if (kind_of(entry) != kind) return {};
    if (kind == EntryKind::number) return numbered(entry);
    std::vector<ChosenGpu> found;
    for (const std::size_t gpu : by_address_) {
      const DriverGpu& it = gpus_[gpu];
      if (kind == EntryKind::gpu && begins_id(it.uuid, entry)) found.push_back({gpu, {}});
      for (std::size_t i = 0; kind == EntryKind::slice && i < it.slices.size(); ++i)
        if (begins_id(it.slices[i].uuid, entry) || old_name(it, it.slices[i]) == entry)
          found.push_back({gpu, i});
    }
    return found;
  }

  std::vector<ChosenGpu> numbered(std::string_view entry) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
    if (error != std::errc() || number >= gpus_.size()) return {};
    if (std::ranges::any_of(gpus_, &DriverGpu::split)) {
      give_up(
          fmt::format("which GPU or slice (MIG) the number {} of CUDA_VISIBLE_DEVICES means is "
                      "the driver's matter: name it by its id, as nvidia-smi -L shows it",
                      number));
      return {};
    }
    if (!numbered_by_address()) {
      give_up(fmt::format(
          "which GPU the number {} of CUDA_VISIBLE_DEVICES means is the driver's matter, as CUDA "
          "puts the fastest of unlike GPUs first: set CUDA_DEVICE_ORDER=PCI_BUS_ID to have "
          "nvidia-smi's numbers",
          number));
      return {};
    }
    return {{by_address_[number], {}}};
  }

  void end_list(std::string_view entry, std::size_t found, std::size_t position, bool more) {
    result_.remarks.push_back(fmt::format(
        "entry {} of CUDA_VISIBLE_DEVICES, '{}', {}: CUDA leaves it{} out", position, entry,
        found == 0 ? "names no GPU of this machine"
                   : fmt::format("begins the ids of {} GPUs", found),
        more ? " and all that follow" : ""));
  }

  void repeat(std::string_view entry) {
    result_.chosen.clear();
    result_.remarks.push_back(fmt::format(
        "CUDA_VISIBLE_DEVICES lists '{}' twice, which CUDA answers with no GPU at all", entry));
  }

  void keep_one_slice() {
    const auto slice = std::ranges::find_if(
        result_.chosen, [](const ChosenGpu& it) { return it.slice.has_value(); });
    if (slice == result_.chosen.end()) return;
    const ChosenGpu kept = *slice;
    if (result_.chosen.size() > 1)
      result_.remarks.push_back(fmt::format(
          "a process gets one slice (MIG) and no GPU beside it: CUDA takes {}, the first",
          gpus_[kept.gpu].slices[*kept.slice].uuid));
    result_.chosen = {kept};
  }

  const GpuVariables& variables_;
  std::span<const DriverGpu> gpus_;
  std::vector<std::size_t> by_address_;
  GpuSelection result_;
};

}  // namespace

GpuVariables GpuVariables::of_this_process() {
  return {variable("CUDA_VISIBLE_DEVICES"), variable("CUDA_DEVICE_ORDER"),
          variable("NVIDIA_VISIBLE_DEVICES")};
}

GpuSelection select_gpus(const GpuVariables& variables, std::span<const DriverGpu> gpus) {
  return Selector(variables, gpus).select();
}

}  // namespace convoy::topology
