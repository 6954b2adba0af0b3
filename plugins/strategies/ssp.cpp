#include <convoy/strategy.hpp>

#include <algorithm>
#include <vector>

namespace {

// Stale synchronous parallel (Ho et al., 2013): servers keep the variables and apply every device's
// gradient as it arrives. A device may be ahead of the slowest one by a limited number of steps;
// then it waits.
class StaleSynchronous : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const std::int64_t lag = p.integer("staleness");
    if (lag < 1 || lag > 1000) p.refuse("staleness is from 1 to 1000 steps");
    const convoy::CopyOptions late{.relaxed = true, .max_lag = static_cast<std::uint64_t>(lag)};
    const std::vector<convoy::PlaceId> servers = servers_of(p);
    const std::vector<convoy::Range> buckets = p.buckets();
    for (const auto r : p.replicas()) {
      for (std::size_t b = 0; b < buckets.size(); ++b)
        p.copy(p.parameters(r)[buckets[b]], master(p, servers, b)[buckets[b]], late);
      p.compute_replica(r);
      for (std::size_t b = 0; b < buckets.size(); ++b) {
        const convoy::Buffer kept = master(p, servers, b);
        const convoy::Buffer pushed = p.scratch(servers[b % servers.size()], buckets[b].count);
        p.copy(pushed, p.gradient(r)[buckets[b]]);
        p.apply(kept[buckets[b]], pushed, {.contributions = 1, .any_order = true});
      }
    }
  }

 private:
  // Returns the hosts without devices; if there are none, the hosts with devices.
  static std::vector<convoy::PlaceId> servers_of(const convoy::Planner& p) {
    std::vector<convoy::PlaceId> own, extra;
    for (const auto& group : p.groups(convoy::Sharing::kHost))
      own.push_back(p.host_place(group.front()));
    for (const auto place : p.places())
      if (p.place(place).kind == convoy::PlaceKind::kHost && !std::ranges::count(own, place))
        extra.push_back(place);
    return extra.empty() ? own : extra;
  }

  static convoy::Buffer master(convoy::Planner& p, const std::vector<convoy::PlaceId>& servers,
                               std::size_t bucket) {
    return p.master(servers[bucket % servers.size()]);
  }
};

}  // namespace

CONVOY_STRATEGY(StaleSynchronous, "name=ssp", "version=0.1.0",
                "description=Parameter servers apply each device's gradient as it arrives; a bound "
                "limits how far a device may be ahead (stale synchronous parallel).",
                "claim=asynchronous",
                "option=staleness:int:3::Steps that a device may be ahead of the slowest one.",
                "needs=forward,backward,copy,apply")
