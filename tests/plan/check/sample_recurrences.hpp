#pragma once

#include <string>
#include <vector>

#include "core/plan/check/check.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing {

// A strategy of the literature, or one that its author got wrong, and what it must be called.
struct SampleRecurrence {
  std::string name;
  WritePlan write;
  plan::check::Verdict verdict = plan::check::Verdict::kApproximate;  // with several replicas
  bool nothing_lost = false;
  std::string text = {};  // part of the verdict, or of a finding
  std::uint32_t fewest_replicas = 2;
};

// Right ones: residuals, momentum of one's own, local steps, pulled and averaged parameters.
std::vector<SampleRecurrence> right_recurrences();
// Wrong ones, and those about which kernels leave too much open.
std::vector<SampleRecurrence> wrong_recurrences();

// The kernels that they call, as functions.
convoy_host_kernel sample_kernel(const std::string& name);

}  // namespace convoy::testing
