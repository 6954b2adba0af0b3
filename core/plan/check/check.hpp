#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// What a plan computes, S being the parameters, n the replicas.
enum class Verdict {
  kSynchronous,  // S(t+1) = apply(S(t), mean over r of gradient(r, t, S(t)))
  kStale,        // the same with gradients, or the parameters they were computed for, of before
  kSynchronousEvery,  // one apply for the gradients of several computes, all for the same S
  kAppliesPerStep,    // gradients of replicas are applied one after the other
  kIndependent,       // every replica trains on its own
  kAsynchronous,      // relaxed reads, updates in any order, or replicas that see parts of a step
  kApproximate,       // as `exact` says, but for casts, calls or averaged parameters on the way
  kWrong,             // see the findings
  kUnproved,  // neither proved nor shown to be wrong: the findings say what stands in the way
};

enum class FindingKind {
  kMissing,        // a gradient that never arrives, or a part of the computation that never runs
  kDoubled,        // a gradient that counts more than once
  kScaled,         // a weight that is not one over the number of gradients
  kShifted,        // elements that arrive at other elements
  kUninitialised,  // memory that nothing has written
  kNeverUpdated,   // parameters that forward reads but no update reaches
  kChanged,        // parameters that change between forward and backward
  kForeign,        // something that is neither parameters nor gradients
  kState,          // optimizer state that does not belong to the parameters
  kIrregular,      // no recurrence is recognised
  kUnstable,       // something grows from step to step without bound
  kUndeclared,     // a kernel does not say what it does; left open
  kUnknown,        // nothing that can be judged; left open
  kBudget,         // a proof would take too long; left open
};

// One error in a plan, described so that its author can find it.
struct Finding {
  FindingKind kind = FindingKind::kIrregular;
  std::uint32_t operation = CONVOY_NONE;  // id in the plan that was checked
  std::uint32_t replica = CONVOY_NONE;
  ElementRange range{};   // of the arena
  std::string text;       // "apply (operation 12) on conv1/kernel [0..64): the gradient of ..."
  std::string what = {};  // "the gradient of ...", of updates that are judged one by one
};

struct StageReport;

struct CheckReport {
  Verdict verdict = Verdict::kWrong;
  Verdict exact = Verdict::kWrong;  // kApproximate: what it would be without rounding
  std::uint32_t replicas = 0;
  std::uint64_t gradient_lag = 0;  // steps from a backward to the apply of its gradient
  std::int64_t parameter_lag = 0;  // steps from an apply to the forward that reads it, less 1
  std::uint64_t computes_per_update = 1;  // kSynchronousEvery, at most; of a recurrence: in a mean
  // The same of every update of a period, in order, where they are not all the same.
  std::vector<std::uint64_t> uneven_updates;
  std::uint64_t applies_per_step = 1;  // kAppliesPerStep
  bool zero_start = false;             // the first steps apply zero gradients
  bool uniform = true;                 // all variables and steps follow the one recurrence
  bool in_order = false;               // kAsynchronous: no reads are relaxed, no order is free
  std::uint64_t periods = 0;           // that were run to find out
  bool is_sharpness_aware = false;     // only every second compute's gradients are applied
  // The result for a plan whose state never repeats (kApproximate, kAsynchronous): "every gradient
  // counts once in the end, nothing is lost". Otherwise empty.
  std::string recurrence;
  double counts = 1;          // how often a gradient counts in the end, at most
  double least = 1;           // the same of the gradients that count least
  bool nothing_lost = false;  // "nothing is lost"
  // The first step of the next stage, if residuals of this one are lost there and no finding says
  // so.
  std::optional<std::uint64_t> residuals_end;
  std::vector<std::string> kernels;   // whose word was taken for what they do
  std::vector<std::string> renewing;  // of these, those that must make something else in each step
  // Operations that multiply gradients by values that only the run knows; the multiplication is
  // taken as intended.
  std::vector<std::string> factors;
  std::vector<std::string> compressors;  // operations that leave out what nothing brings back
  std::vector<Finding> findings;
  // If the recurrence is right: the first finding against a stricter verdict.
  std::optional<Finding> against_stricter;
  // The reports of the stages, if a plan has several. The other fields are then those of the laxest
  // stage, with the findings of all.
  std::vector<StageReport> stages;

  bool is_proved() const { return verdict != Verdict::kWrong && verdict != Verdict::kUnproved; }
  // "synchronous", "stale by 2 (gradient lag 1, parameter lag 1)", "wrong"; "stale by up to 2 ..."
  // where not all variables or steps are so late.
  std::string verdict_text() const;
};

struct StageReport {
  std::uint64_t first_step = 0;
  CheckReport report;
  std::uint64_t hash = 0;  // of the plan that is this stage alone
};

// Proves what a plan computes by symbolic execution: values record their origin, and the run ends
// at a fixed point, when its state repeats. It shows whether every replica's gradient reaches every
// variable exactly once and how late, or what is wrong and where. A state that never repeats is
// judged as a linear recurrence. In a plan with several stages, each stage and each transition to
// the next one is proved. Takes logical and lowered plans. Proves plans, not the devices that run
// them. A plan that would take more than about ten seconds is unproved; work on assumptions that
// turn out not to hold does not count.
CheckReport check_plan(const Plan& plan);

// Whether the proof, or a part of it, would have taken too long.
bool is_over_budget(const CheckReport& report);

std::string_view verdict_name(Verdict verdict);
std::string_view finding_name(FindingKind kind);

// Whether the plan of a strategy satisfies the claim of its manifest: "synchronous", "stale",
// "accumulating", "sequential", "independent", "asynchronous" or "approximate", or alternatives
// ("synchronous|stale", for strategies whose options decide). A plan may be stricter than its
// claim, never laxer; a wrong or unproved plan satisfies no claim. Error kFailed for an unknown
// claim.
bool satisfies(const CheckReport& report, std::string_view claim);

// Whether a strategy with this claim lets every device train by itself.
bool claims_to_share_nothing(std::string_view claim);

}  // namespace convoy::plan::check
