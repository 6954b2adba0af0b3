#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/plan/check/check.hpp"
#include "core/plan/step_plan.hpp"

namespace convoy {

enum class CaseEnd : std::uint8_t { kKept, kBroken, kRefused, kUnproved };

// What `convoy check` prints and counts of one plan.
struct CaseOutcome {
  std::string text;
  CaseEnd end = CaseEnd::kBroken;
  const CheckReport* report = nullptr;  // none of plans that were refused

  void fail(bool refused, const Error& error);
};

struct ProvedCase {
  Cluster cluster;
  bool shows_hash = false;
  std::optional<StepPlan> plan;  // of the cluster; none: it was not written
  CaseOutcome outcome;
};

// Many kinds of devices get the same plan: it is proved once, however many threads ask.
class Proofs {
 public:
  // The report stays where it is.
  const CheckReport& of(const Plan& plan);

 private:
  struct Entry {
    std::promise<CheckReport> result;
    std::shared_future<CheckReport> proof = result.get_future().share();
  };

  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Entry> known_;
};

// Threads for work of which so much goes on at once as there are processors.
class Turns {
 public:
  // Waits until fewer than that, and than `most`, are at work. The result must not outlive this.
  template <typename Work>
  std::future<CaseOutcome> start(std::uint32_t most, Work work) {
    enter(most);
    return std::async(std::launch::async, [this, work = std::move(work)]() mutable {
      const Leaving leaving{*this};
      return work();
    });
  }
  void wait_for_all();

 private:
  struct Leaving {
    Turns& turns;
    ~Leaving() { turns.leave(); }
  };
  void enter(std::uint32_t most);
  void leave();

  const std::uint32_t threads_ = std::max(1u, std::thread::hardware_concurrency());
  std::mutex mutex_;
  std::condition_variable ended_;
  std::uint32_t busy_ = 0;
};

}  // namespace convoy
