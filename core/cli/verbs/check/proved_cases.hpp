#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/plan/check/check.hpp"
#include "core/plan/step_plan.hpp"

namespace convoy::cli {

enum class CaseEnd : std::uint8_t { kKept, kBroken, kRefused, kUnproved };

// The result for one plan, which `convoy check` prints and counts.
struct CaseOutcome {
  std::string plan;  // describes the plan
  std::string text;
  std::string refusal;  // why the plan was refused, which follows the text; empty if it was not
  CaseEnd end = CaseEnd::kBroken;
  const plan::check::CheckReport* report = nullptr;    // null: the plan was refused
  const plan::check::CheckReport* findings = nullptr;  // the report whose findings are shown
  std::vector<std::string> unread;                     // memory that the plan keeps but never reads

  void fail(bool refused, const Error& error);
};

struct ProvedCase {
  plan::Cluster cluster;
  bool shows_hash = false;
  std::optional<plan::StepPlan> plan;  // the plan for the cluster; none: it was not written
  CaseOutcome outcome;
};

// Caches proofs. Many kinds of devices get the same plan, which is proved once, even if several
// threads ask for it.
class Proofs {
 public:
  // Returns the report on a plan. The reference stays valid.
  const plan::check::CheckReport& of(const plan::Plan& plan);

 private:
  struct Entry {
    std::promise<plan::check::CheckReport> result;
    std::shared_future<plan::check::CheckReport> proof = result.get_future().share();
  };

  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Entry> known_;
};

}  // namespace convoy::cli
