#include "core/runtime/device_kernels.hpp"

#include <convoy/sized.hpp>

#include <algorithm>

#include "core/plan/stages.hpp"

namespace convoy::runtime {

void* build_kernel_for(plugin::OpenDevice& device, const plugin::KernelForms& forms,
                       plugin::StrategyPlugin& strategy, const std::string& kernel) {
  const plugin::FoundForm found = plugin::require_form(strategy, kernel, forms);
  auto code = make_sized<convoy_kernel_code>();
  code.strategy = strategy.manifest().name.c_str();
  code.kernel = kernel.c_str();
  code.text = found.kernel.text;
  code.entry = found.kernel.entry == nullptr ? code.kernel : found.kernel.entry;
  code.form = found.form;
  code.threads = found.kernel.threads;
  code.blocks = found.kernel.blocks;
  return device.build_kernel(code);
}

// After the first constructor the object exists, so that its destructor frees what was built when
// one of the kernels cannot be built.
DeviceKernels::DeviceKernels(const plan::Plan& lowered, const Engines& engines,
                             plugin::StrategyPlugin& strategy, std::shared_ptr<OpenDevices> devices)
    : DeviceKernels(std::move(devices)) {
  const plugin::KernelForms forms = devices_->kernel_forms();
  if (forms.has(CONVOY_KERNEL_HOST)) return;
  for (const std::vector<plan::Operation>* section : plan::sections_of(lowered))
    for (const plan::Operation& operation : *section) {
      plugin::OpenDevice* const device = engines.at(operation.place);
      if (operation.kind != plan::OperationKind::kCall || device == nullptr) continue;
      const auto [built, is_new] = built_.try_emplace({device, operation.details->kernel});
      if (is_new)
        built->second = build_kernel_for(*device, forms, strategy, operation.details->kernel);
    }
}

DeviceKernels::~DeviceKernels() {
  for (const auto& [key, kernel] : built_)
    if (kernel != nullptr) key.first->free_kernel(kernel);
}

void* DeviceKernels::find(const plugin::OpenDevice* device, const std::string& kernel) const {
  const auto found = std::ranges::find_if(built_, [&](const auto& it) {
    return it.first.first == device && it.first.second == kernel;
  });
  return found == built_.end() ? nullptr : found->second;
}

}  // namespace convoy::runtime
