#pragma once

#include <convoy/abi/strategy.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/plugin/strategy_plugin.hpp"

namespace convoy::plugin {

// The forms of strategies' kernels that a kind of devices runs.
struct KernelForms {
  std::uint32_t bits = 1u << CONVOY_KERNEL_HOST;  // 1 << convoy_kernel_form
  std::string devices;                            // for people: "cuda devices"

  bool has(convoy_kernel_form form) const { return (bits >> form & 1) != 0; }
};

// NVIDIA GPUs, whatever plug-in drives them.
KernelForms gpu_forms(std::string devices);

struct FoundForm {
  convoy_kernel_form form;
  convoy_kernel kernel;
};

// The kernel in the first of these forms that the strategy has; empty: it has none.
std::optional<FoundForm> find_form(StrategyPlugin& strategy, const std::string& kernel,
                                   const KernelForms& forms);

// The same; if there is none, Error kUnavailable says what is missing and what to do.
FoundForm require_form(StrategyPlugin& strategy, const std::string& kernel,
                       const KernelForms& forms);

}  // namespace convoy::plugin
