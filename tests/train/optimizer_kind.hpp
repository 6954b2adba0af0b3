#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/train/optimizer.hpp"

namespace convoy::testing {

// The kind that golden files and parameters of tests name.
inline convoy_optimizer_kind optimizer_kind(const std::string& name) {
  for (const auto& [kind, known] : train::kOptimizers)
    if (known == name) return kind;
  throw std::invalid_argument("no optimizer is called " + name);
}

}  // namespace convoy::testing
