#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::job {

// Short texts of the operations of a lowered plan, for messages. Every stage of a plan numbers its
// operations anew, starting with its prologue.
class OperationTexts {
 public:
  OperationTexts() = default;
  explicit OperationTexts(const plan::Plan& plan);

  // Returns, for example, "all_reduce affine0", or "copy" if the operation is not for a single
  // variable; empty if no operation has this number at that step.
  std::string at(std::uint64_t step, std::int64_t operation) const;

 private:
  struct Stage {
    std::uint64_t first_step = 0;
    std::vector<std::string> texts;  // indexed by the operation's number
  };
  std::vector<Stage> stages_;
};

}  // namespace convoy::job
