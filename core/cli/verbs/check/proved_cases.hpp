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

// The result for one plan that `convoy check` prints and counts.
struct CaseOutcome {
  std::string plan;  // which one it is
  std::string text;
  CaseEnd end = CaseEnd::kBroken;
  const plan::check::CheckReport* report = nullptr;    // none of plans that were refused
  const plan::check::CheckReport* findings = nullptr;  // the report of which the findings are shown
  std::vector<std::string> unread;                     // memory that the plan keeps for nothing

  void fail(bool refused, const Error& error);
};

struct ProvedCase {
  plan::Cluster cluster;
  bool shows_hash = false;
  std::optional<plan::StepPlan> plan;  // of the cluster; none: it was not written
  CaseOutcome outcome;
};

// Many kinds of devices get the same plan. It is proved once, even if several threads ask for it.
class Proofs {
 public:
  // The report stays where it is.
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
