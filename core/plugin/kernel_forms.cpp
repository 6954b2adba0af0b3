#include "core/plugin/kernel_forms.hpp"

#include <array>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::plugin {
namespace {

constexpr std::array kForms = {CONVOY_KERNEL_HOST, CONVOY_KERNEL_CUDA_SOURCE, CONVOY_KERNEL_PTX};

std::string in_words(const KernelForms& forms) {
  std::string text;
  const auto add = [&text](const char* form) {
    text += (text.empty() ? "" : " or ") + std::string(form);
  };
  if (forms.has(CONVOY_KERNEL_HOST)) add("host functions");
  if (forms.has(CONVOY_KERNEL_CUDA_SOURCE)) add("CUDA source");
  if (forms.has(CONVOY_KERNEL_PTX)) add("PTX");
  return text.empty() ? "no form that this convoy knows" : text;
}

}  // namespace

KernelForms gpu_forms(std::string devices) {
  return {1u << CONVOY_KERNEL_CUDA_SOURCE | 1u << CONVOY_KERNEL_PTX, std::move(devices)};
}

std::optional<FoundForm> find_form(StrategyPlugin& strategy, const std::string& kernel,
                                   const KernelForms& forms) {
  for (const convoy_kernel_form form : kForms) {
    if (!forms.has(form)) continue;
    if (const auto found = strategy.kernel(kernel, form)) return FoundForm{form, *found};
  }
  return std::nullopt;
}

FoundForm require_form(StrategyPlugin& strategy, const std::string& kernel,
                       const KernelForms& forms) {
  if (const auto found = find_form(strategy, kernel, forms)) return *found;
  const bool on_host = forms.has(CONVOY_KERNEL_HOST);
  fail(ExitCode::kUnavailable,
       "kernel '{}' of strategy {} has no form for {}, which run {}: {}; or choose {} or another "
       "strategy",
       kernel, strategy.manifest().name, forms.devices, in_words(forms),
       on_host ? "let kernel() or host_kernel() return one"
               : "give it one (Kernel::cuda(), or CONVOY_ELEMENT_KERNEL)",
       on_host ? "other devices" : "CPU devices (--device=cpu)");
}

}  // namespace convoy::plugin
