#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy {

// What the operations of a lowered plan are, in a few words for messages. Every stage of a plan has
// numbers of its own, its prologue's first.
class OperationTexts {
 public:
  OperationTexts() = default;
  explicit OperationTexts(const Plan& plan);

  // For example "all_reduce affine0", or "copy" where it is no variable's; empty when no operation
  // has this number at that step.
  std::string at(std::uint64_t step, std::int64_t operation) const;

 private:
  struct Stage {
    std::uint64_t first_step = 0;
    std::vector<std::string> texts;  // by number
  };
  std::vector<Stage> stages_;
};

}  // namespace convoy
