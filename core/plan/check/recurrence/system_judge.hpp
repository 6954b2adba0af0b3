#pragma once

#include <vector>

#include "core/plan/check/recurrence/system_report.hpp"

namespace convoy::plan::check {

// Judges one linear system, see judge_recurrence(). `gradients` are the columns of B.
SystemReport judge_system(const Plan& plan, const LinearSystem& system,
                          const std::vector<GradientKey>& gradients,
                          const std::vector<LinearApply>& applies, const ValueTable& values);

}  // namespace convoy::plan::check
