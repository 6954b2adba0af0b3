#include <convoy/strategy.hpp>

#include <string>
#include <utility>
#include <vector>

namespace {

using convoy::Sharing;
using Groups = std::vector<std::vector<convoy::ReplicaId>>;

// Hierarchical all-reduce (Jia et al., 2018): gradients are summed inside every group of close
// devices, then between one device of each group, and the total goes back inside every group.
class Hierarchical : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const Groups groups = choose_groups(p);
    p.compute();
    for (const convoy::Range bucket : p.buckets()) {
      std::vector<std::vector<convoy::Span>> gradients;  // by group
      std::vector<convoy::Span> leaders;
      for (const auto& group : groups) {
        std::vector<convoy::Span>& own = gradients.emplace_back();
        for (const auto r : group) own.push_back(p.gradient(r)[bucket]);
        leaders.push_back(own.front());
        if (own.size() > 1) p.reduce(own.front(), own);
      }
      if (leaders.size() > 1) p.all_reduce(leaders);
      for (const auto& own : gradients)
        if (own.size() > 1) p.broadcast({own.begin() + 1, own.end()}, own.front());
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[bucket], p.gradient(r)[bucket]);
    }
  }

 private:
  // The widest kind of groups of which there are several, unless an option names one.
  static Groups choose_groups(const convoy::Planner& p) {
    constexpr std::pair<const char*, Sharing> kAll[] = {{"host", Sharing::kHost},
                                                        {"numa", Sharing::kNuma},
                                                        {"nvlink", Sharing::kNvlink},
                                                        {"switch", Sharing::kSwitch}};
    const std::string wanted = p.option("groups");
    for (const auto& [name, what] : kAll) {
      Groups groups = p.groups(what);
      const bool several = groups.size() > 1 && groups.size() < p.replica_count();
      if (wanted == name || (wanted == "widest" && several)) return groups;
    }
    return p.groups(Sharing::kHost);
  }
};

}  // namespace

CONVOY_STRATEGY(Hierarchical, "name=hierarchical", "version=0.1.0",
                "description=Sums gradients inside groups of close devices, then between groups.",
                "claim=synchronous",
                "option=groups:enum:widest:widest|host|numa|nvlink|switch:What devices of a group "
                "share; widest = the first of these that makes several groups.",
                "needs=forward,backward,reduce,all_reduce,broadcast,apply")
