#include "topology/detect/driver_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "topology/graph/graph_edit.hpp"
#include "topology/read/pci_class.hpp"

namespace convoy::topology {
namespace {

constexpr std::size_t kTextBytes = 96;  // NVML_DEVICE_UUID_V2_BUFFER_SIZE, also the size of names

std::string text_of(NvmlDevice* device, int (*function)(NvmlDevice*, char*, unsigned)) {
  std::array<char, kTextBytes> text{};
  if (function == nullptr || function(device, text.data(), text.size()) != 0) return {};
  return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

unsigned number_of(NvmlDevice* device, int (*function)(NvmlDevice*, unsigned*)) {
  unsigned number = 0;
  return function != nullptr && function(device, &number) == 0 ? number : 0;
}

std::optional<GpuPart> part_of(const NvmlLibrary& library, NvmlDevice* slice) {
  NvmlSliceAttributes it{};
  if (library.slice_attributes == nullptr || library.slice_attributes(slice, &it) != 0) return {};
  return GpuPart{it.multiprocessors, static_cast<std::uint64_t>(it.memory_megabytes) << 20};
}

std::vector<GpuSlice> slices_of(const NvmlLibrary& library, NvmlDevice* device) {
  std::vector<GpuSlice> slices;
  if (library.slice == nullptr) return slices;
  const unsigned most = std::min(number_of(device, library.most_slices), kMostNvmlDevices);
  for (unsigned i = 0; i < most; ++i) {
    NvmlDevice* slice = nullptr;
    if (library.slice(device, i, &slice) != 0) continue;  // slots of slices may be empty
    slices.push_back({text_of(slice, library.uuid), number_of(slice, library.gpu_instance),
                      number_of(slice, library.compute_instance), part_of(library, slice)});
  }
  return slices;
}

bool is_split(const NvmlLibrary& library, NvmlDevice* device) {
  unsigned mode = 0;
  unsigned pending = 0;
  return library.mig_mode != nullptr && library.mig_mode(device, &mode, &pending) == 0 && mode == 1;
}

std::string why_not_listed(const GpuVariables& variables) {
  std::string text = "the driver does not show it to this process";
  if (variables.container)
    text += fmt::format(" (NVIDIA_VISIBLE_DEVICES='{}' of its container)", *variables.container);
  return text;
}

// Returns the machine's node of every GPU that the driver lists.
std::vector<std::size_t> nodes_of_gpus(const Machine& machine, std::span<const DriverGpu> gpus) {
  const auto by_address = nodes_by_address(machine);
  std::vector<std::size_t> nodes;
  for (const DriverGpu& gpu : gpus) nodes.push_back(by_address.at(gpu.address));
  return nodes;
}

}  // namespace

std::vector<DriverGpu> driver_gpus(const NvmlLibrary& library) {
  std::vector<DriverGpu> gpus;
  unsigned count = 0;
  if (library.count(&count) != 0) return gpus;
  for (unsigned i = 0; i < std::min(count, kMostNvmlDevices); ++i) {
    NvmlDevice* device = nullptr;
    NvmlPciInfo pci{};
    if (library.device(i, &device) != 0 || library.pci(device, &pci) != 0) continue;
    DriverGpu gpu;
    gpu.address = {pci.domain, pci.bus, pci.device, 0};
    gpu.uuid = text_of(device, library.uuid);
    gpu.model = text_of(device, library.name);
    gpu.split = is_split(library, device);
    if (gpu.split) gpu.slices = slices_of(library, device);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

void mark_usable_gpus(Machine& machine, const GpuVariables& variables,
                      std::span<const DriverGpu> gpus) {
  const std::vector<std::size_t> nodes = nodes_of_gpus(machine, gpus);
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
    machine.nodes[nodes[gpu]].uuid = gpus[gpu].uuid;
  for (const std::size_t node : nodes_of(machine, NodeKind::gpu)) {
    const auto& id = machine.nodes[node].id;
    const bool is_nvidia = id && id->vendor == kNvidia;
    if (std::ranges::find(nodes, node) != nodes.end()) continue;
    if (is_nvidia)
      machine.nodes[node].device_number.source = why_not_listed(variables);
    else if (!gpus.empty())
      machine.nodes[node].device_number.source = "another vendor's, beside NVIDIA's GPUs";
  }
  const GpuSelection selection = select_gpus(variables, gpus);
  machine.notes.insert(machine.notes.end(), selection.remarks.begin(), selection.remarks.end());
  if (!selection.certain) return;
  std::string list;
  if (variables.visible) list = fmt::format("CUDA_VISIBLE_DEVICES='{}'", *variables.visible);
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
    machine.nodes[nodes[gpu]].device_number.source =
        !list.empty()     ? "hidden by " + list
        : gpus[gpu].split ? "split by MIG, and CUDA takes no part of it"
                          : "a slice (MIG) of another GPU is taken in its place";
  for (std::uint32_t number = 0; number < selection.chosen.size(); ++number) {
    const ChosenGpu& chosen = selection.chosen[number];
    Node& node = machine.nodes[nodes[chosen.gpu]];
    if (chosen.slice) {
      const GpuSlice& slice = gpus[chosen.gpu].slices[*chosen.slice];
      node.uuid = slice.uuid;
      node.part = slice.part;
    }
    auto& told = node.device_number;
    told.source = selection.numbered ? list : "";
    if (selection.numbered) told.value = number;
  }
}

}  // namespace convoy::topology
