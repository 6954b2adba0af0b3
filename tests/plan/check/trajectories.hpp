#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {

// What every forward of a run read: [step][replica][element].
using ForwardReads = std::vector<std::vector<std::vector<float>>>;

// Runs the plan in the interpreter with smooth gradients.
ForwardReads interpreted_reads(const plan::Plan& plan, std::uint64_t steps);

// What forwards read under the recurrence that the report names, computed without any plan:
// S(t+1) = apply(S(t), mean over r of gradient(r, t - j, S(t - j - i))).
ForwardReads recurrence_reads(const plan::ArenaMap& arena, std::uint32_t replicas,
                              const plan::check::CheckReport& report, std::uint64_t steps);

// Where two runs differ by more than rounding explains.
std::optional<std::string> difference(const ForwardReads& a, const ForwardReads& b);

}  // namespace convoy::testing
