#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// What a plan computes. S is the parameters, n the number of replicas.
enum class Verdict {
  kSynchronous,       // S(t+1) = apply(S(t), mean over r of gradient(r, t, S(t)))
  kStale,             // the same, with gradients or parameters of earlier steps
  kSynchronousEvery,  // one apply for the gradients of several computes, all for the same S
  kAppliesPerStep,    // gradients of replicas are applied one after the other
  kIndependent,       // every replica trains on its own
  kAsynchronous,      // relaxed reads, updates in any order, or replicas that see parts of a step
  kApproximate,       // as in `exact`, except for casts, calls or averaged parameters on the way
  kWrong,             // see the findings
  kUnproved,          // neither proved nor shown to be wrong; the findings give the reason
};

enum class FindingKind {
  kMissing,        // a gradient that never arrives, or a part of the computation that never runs
  kDoubled,        // a gradient that counts more than once
  kScaled,         // a weight that is not one over the number of gradients
  kShifted,        // elements that arrive at other elements
  kUninitialised,  // memory that is read before it is written
  kNeverUpdated,   // parameters that forward reads but no update reaches
  kChanged,        // parameters that change between forward and backward
  kForeign,        // a value that is neither parameters nor gradients
  kState,          // optimizer state that does not belong to the parameters
  kIrregular,      // no recurrence is recognised
  kUnstable,       // something grows from step to step without bound
  kUndeclared,     // a kernel that does not declare its effect; leaves the verdict open
  kUnknown,        // a value that cannot be judged; leaves the verdict open
  kBudget,         // a proof that would take too long; leaves the verdict open
};

// One error in a plan, described so that its author can find it.
struct Finding {
  FindingKind kind = FindingKind::kIrregular;
  std::uint32_t operation = CONVOY_NONE;  // id in the plan that was checked
  std::uint32_t replica = CONVOY_NONE;
  ElementRange range{};   // range of the arena
  std::string text;       // "apply (operation 12) on conv1/kernel [0..64): the gradient of ..."
  std::string what = {};  // "the gradient of ...", for updates that are judged one by one
};

struct StageReport;

struct CheckReport {
  Verdict verdict = Verdict::kWrong;
  Verdict exact = Verdict::kWrong;  // kApproximate: the verdict without rounding
  std::uint32_t replicas = 0;
  std::uint64_t gradient_lag = 0;  // steps from a backward to the apply of its gradient
  std::int64_t parameter_lag = 0;  // steps from an apply to the forward that reads it, minus 1
  std::uint64_t computes_per_update = 1;  // kSynchronousEvery: the maximum; a recurrence: per mean
  // The number of computes of each update of a period, in order, if the numbers differ.
  std::vector<std::uint64_t> uneven_updates;
  std::uint64_t applies_per_step = 1;  // kAppliesPerStep
  bool zero_start = false;             // the first steps apply zero gradients
  bool uniform = true;                 // all variables and steps follow the one recurrence
  bool in_order = false;               // kAsynchronous: no read is relaxed, and every order is
                                       // fixed
  std::uint64_t periods = 0;           // periods that were run for the verdict
  bool is_sharpness_aware = false;     // only every second compute's gradients are applied
  // The result for a plan whose state never repeats (kApproximate, kAsynchronous): "every gradient
  // counts once in the end, nothing is lost". Otherwise empty.
  std::string recurrence;
  double counts = 1;          // how often a gradient counts in the end, at most
  double least = 1;           // how often a gradient counts in the end, at least
  bool nothing_lost = false;  // "nothing is lost"
  // The first step of the next stage, if residuals of this stage are lost there and no finding says
  // so.
  std::optional<std::uint64_t> residuals_end;
  std::vector<std::string> kernels;   // kernels whose declarations were trusted
  std::vector<std::string> renewing;  // those of them that must make something different in each
                                      // step
  // No operation is an apply: the strategy changes parameters by arithmetic of its own, on which
  // the optimizer's options have no effect.
  bool updates_by_itself = false;
  // Operations that multiply gradients by values that only the run knows. The multiplication is
  // assumed to be intended.
  std::vector<std::string> factors;
  std::vector<std::string> compressors;  // operations that leave out parts which nothing brings
                                         // back
  std::vector<Finding> findings;
  // If the recurrence is right: the first finding that rules out a stricter verdict.
  std::optional<Finding> against_stricter;
  // The reports of the stages, if a plan has several. The other fields are then those of the laxest
  // stage, with the findings of all.
  std::vector<StageReport> stages;

  bool is_proved() const { return verdict != Verdict::kWrong && verdict != Verdict::kUnproved; }
  // Returns "synchronous", "stale by 2 (gradient lag 1, parameter lag 1)", "wrong", or "stale by up
  // to 2 ..." if only some variables or steps are so late.
  std::string verdict_text() const;
};

struct StageReport {
  std::uint64_t first_step = 0;
  CheckReport report;
  std::uint64_t hash = 0;  // of the plan that consists of this stage alone
};

// Proves what a plan computes by symbolic execution: values record their origin, and the run ends
// at a fixed point, when its state repeats. It shows whether every replica's gradient reaches every
// variable exactly once and how late, or what is wrong and where. A state that never repeats is
// judged as a linear recurrence. In a plan with several stages, each stage and each transition to
// the next one is proved. Takes logical and lowered plans. Proves plans, not the devices that run
// them. A plan that would take more than about ten seconds is unproved; work on assumptions that
// turn out not to hold does not count.
CheckReport check_plan(const Plan& plan);

// Whether the proof, or a part of it, exceeded its budget.
bool is_over_budget(const CheckReport& report);

std::string_view verdict_name(Verdict verdict);
std::string_view finding_name(FindingKind kind);

// Whether the plan of a strategy satisfies the claim of its manifest. A claim is "synchronous",
// "stale", "accumulating", "sequential", "independent", "asynchronous" or "approximate", or a list
// of alternatives ("synchronous|stale", for strategies whose options decide). A plan may be
// stricter than its claim, never laxer; a wrong or unproved plan satisfies no claim. Error kFailed
// for an unknown claim.
bool satisfies(const CheckReport& report, std::string_view claim);

// Whether a strategy with this claim lets every device train by itself.
bool claims_to_share_nothing(std::string_view claim);

}  // namespace convoy::plan::check
