#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "core/base/system/nvml_library.hpp"
#include "core/doctor/probes.hpp"
#include "topology/detect/driver_gpus.hpp"
#include "topology/graph/gpu_order.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/machine_tree.hpp"

namespace convoy::doctor {
namespace {

constexpr const char* kSubject = "GPUs of this process";
constexpr const char* kAdvice = "`nvidia-smi -L` shows numbers and ids; see convoy topo";

std::string set_variables(const topology::GpuVariables& variables) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<std::string>& value) {
    if (value) text += fmt::format("{}{}='{}'", text.empty() ? " (" : ", ", name, *value);
  };
  add("CUDA_VISIBLE_DEVICES", variables.visible);
  add("CUDA_DEVICE_ORDER", variables.order);
  add("NVIDIA_VISIBLE_DEVICES", variables.container);
  return text.empty() ? text : text + ")";
}

std::string chosen_text(const topology::GpuSelection& selection,
                        const std::vector<topology::DriverGpu>& gpus) {
  if (!selection.certain) return fmt::format("which of {} is unknown", gpus.size());
  std::vector<std::string> names;
  for (const topology::ChosenGpu& it : selection.chosen)
    names.push_back(it.slice ? gpus[it.gpu].slices[*it.slice].uuid
                             : topology::format_pci_address(gpus[it.gpu].address));
  if (names.empty()) return fmt::format("none of {}", gpus.size());
  return fmt::format("{} of {}: {}", names.size(), gpus.size(), fmt::join(names, ", "));
}

// Returns a machine that has only the driver's GPUs, so that the texts are the same as those of
// convoy topo.
topology::Machine machine_of(const std::vector<topology::DriverGpu>& gpus,
                             const topology::GpuVariables& variables) {
  topology::Machine machine;
  for (const topology::DriverGpu& gpu : gpus) {
    topology::Node node;
    node.kind = topology::NodeKind::gpu;
    node.name = topology::format_pci_address(gpu.address);
    node.address = gpu.address;
    node.model = gpu.model;
    machine.nodes.push_back(std::move(node));
  }
  topology::mark_usable_gpus(machine, variables, gpus);
  return machine;
}

// Returns the GPU of an entry of --gpu_indices, which is the number of a GPU that this process can
// use, or its id; null if there is no such GPU.
const topology::Node* gpu_of(const topology::Machine& machine, const std::string& entry) {
  const std::vector<std::size_t> usable = topology::usable_gpus(machine);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < usable.size(); ++i)
    if (entry == std::to_string(i) || topology::begins_id(machine.nodes[usable[i]].uuid, entry))
      found.push_back(usable[i]);
  return found.size() == 1 && !entry.empty() ? &machine.nodes[found.front()] : nullptr;
}

Finding chosen_by_flag(const topology::Machine& machine, const std::string& gpu_indices) {
  std::vector<std::string> names;
  bool all = true;
  std::istringstream in(gpu_indices);
  for (std::string entry; std::getline(in, entry, ',');) {
    const topology::Node* gpu = gpu_of(machine, entry);
    all = all && gpu != nullptr;
    names.push_back(fmt::format("replica {}: {}", names.size(),
                                gpu != nullptr ? gpu->name : "no GPU is '" + entry + "'"));
  }
  return {"--gpu_indices=" + gpu_indices, all ? Health::kOk : Health::kWarn,
          fmt::format("{}", fmt::join(names, ", ")), all ? "" : kAdvice};
}

}  // namespace

void probe_gpu_selection(const topology::GpuVariables& variables, const std::string& gpu_indices,
                         const std::string& nvml, Findings& findings) {
  const auto library = NvmlLibrary::open(nvml);
  if (!library) {
    if (variables.visible || !gpu_indices.empty())
      findings.push_back({kSubject, Health::kUnknown,
                          "no driver says what they are" + set_variables(variables), ""});
    return;
  }
  const std::vector<topology::DriverGpu> gpus = topology::driver_gpus(*library);
  const topology::GpuSelection selection = topology::select_gpus(variables, gpus);
  std::string text = chosen_text(selection, gpus) + set_variables(variables);
  for (const std::string& remark : selection.remarks) text += "; " + remark;
  const bool fine = selection.certain && selection.remarks.empty() && !selection.chosen.empty();
  findings.push_back({kSubject, fine ? Health::kOk : Health::kWarn, text, fine ? "" : kAdvice});
  const topology::Machine machine = machine_of(gpus, variables);
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
    findings.push_back({fmt::format("GPU {} of the driver", gpu), Health::kOk,
                        topology::describe_node(machine, topology::TreeRow{gpu, {}, {}}), ""});
  if (!gpu_indices.empty()) findings.push_back(chosen_by_flag(machine, gpu_indices));
}

}  // namespace convoy::doctor
