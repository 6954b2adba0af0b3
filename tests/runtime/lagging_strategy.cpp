#include "tests/runtime/lagging_strategy.hpp"

#include <chrono>
#include <cstring>
#include <thread>

namespace convoy::testing {
namespace {

std::int32_t pass_on(const convoy_region* reads, const convoy_region* writes) {
  std::memcpy(writes->data, reads->data, reads->count * sizeof(float));
  return 0;
}

std::int32_t bring(const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                   std::uint64_t) {
  return pass_on(reads, writes);
}

std::int32_t bring_late(const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                        std::uint64_t) {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  return pass_on(reads, writes);
}

class Lagging : public Strategy {
 public:
  void plan(Planner& p) override {
    const std::int64_t given = p.integer("max_lag");
    const std::uint64_t lag = given < 0 ? CONVOY_UNBOUNDED : static_cast<std::uint64_t>(given);
    const PlaceId home = p.host_place(ReplicaId(0));
    for (const auto r : p.replicas())
      p.copy(p.parameters(r), p.master(home), {.relaxed = true, .max_lag = lag});
    p.compute();
    for (const auto r : p.replicas()) {
      const Buffer brought = p.scratch(p.replica_place(r), p.arena_elements());
      const bool slow = r.index() + 1 == p.replica_count();
      p.call(slow ? "bring late" : "bring", p.replica_place(r), {p.gradient(r)}, {brought});
      const Buffer arrived = p.scratch(home, p.arena_elements());
      p.copy(arrived, brought);
      p.apply(p.master(home), arrived, {.contributions = 1, .any_order = true});
    }
  }
  convoy_host_kernel host_kernel(const std::string& name) override {
    return name == "bring late" ? bring_late : bring;
  }
};

// What the host is given of the first of two steps arrives late. The second one has nothing else to
// do than to compute.
class Trailing : public Strategy {
 public:
  void plan(Planner& p) override {
    const PlaceId home = p.host_place(ReplicaId(0));
    const Buffer given = p.scratch(home, p.arena_elements());
    const Buffer arrived = p.persistent(home, p.arena_elements());
    for (const auto r : p.replicas())
      for (const SetId set : {SetId(0), SetId(1)}) {
        p.prologue([&] { p.fill(p.gradient(r, set), 0); });
        p.apply(p.parameters(r), p.gradient(r, set), {.contributions = 1});
      }
    p.compute({.gradient_set = SetId(0)});
    p.copy(given, p.gradient(ReplicaId(0), SetId(0)));
    p.call("bring late", home, {given}, {arrived});
    p.compute({.gradient_set = SetId(1)});
  }
  convoy_host_kernel host_kernel(const std::string& /*name*/) override { return bring_late; }
};

}  // namespace

std::unique_ptr<plugin::StrategyPlugin> trailing_strategy() {
  return built_in_strategy<Trailing>("trailing", 0);
}

std::unique_ptr<plugin::StrategyPlugin> lagging_strategy(std::int64_t max_lag) {
  return built_in_strategy<Lagging>("lagging", max_lag);
}

}  // namespace convoy::testing
