#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/nvml_library.hpp"
#include "core/doctor/probes.hpp"
#include "topology/detect/driver_gpus.hpp"
#include "topology/graph/graph_edit.hpp"

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

}  // namespace

void probe_gpu_selection(const topology::GpuVariables& variables, const std::string& nvml,
                         Findings& findings) {
  const auto library = NvmlLibrary::open(nvml);
  if (!library) {
    if (variables.visible)
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
}

}  // namespace convoy::doctor
