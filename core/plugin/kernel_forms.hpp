#pragma once

#include <convoy/abi/strategy.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/plugin/strategy_plugin.hpp"

namespace convoy {

// Which forms of a strategy's kernels some devices run.
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

// The same; Error kUnavailable, which says what is missing and what to do, when it has none.
FoundForm require_form(StrategyPlugin& strategy, const std::string& kernel,
                       const KernelForms& forms);

}  // namespace convoy
