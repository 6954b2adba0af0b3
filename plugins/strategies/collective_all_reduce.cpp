#include <convoy/strategy.hpp>

#include <string>
#include <vector>

#include "all_reduce_spec.hpp"
#include "gradient_packs.hpp"
#include "spec_reducer.hpp"

namespace {

using convoy_strategies::AllReduceRange;

// Every device of every worker keeps all variables; gradients are summed by the devices' own
// collectives, between workers through one device of each, and every device applies the sum.
class CollectiveAllReduce : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    if (!p.flag("cross_replica_sync"))
      p.refuse("cross_replica_sync=false: a sum over all devices waits for all of them");
    const convoy_strategies::Reducer reduce = convoy_strategies::spec_reducer(p, read_spec(p));
    const std::vector<convoy::Range> packs = convoy_strategies::gradient_packs(p);
    p.compute();
    for (std::size_t i = 0; i < packs.size(); ++i) {
      reduce(p, p.all_gradients(packs[i]), i);
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[packs[i]], p.gradient(r)[packs[i]]);
    }
  }

 private:
  static AllReduceRange read_spec(const convoy::Planner& p) {
    const std::string spec = p.option("all_reduce_spec");
    const std::vector<AllReduceRange> ranges =
        convoy_strategies::parse_all_reduce_spec(spec.empty() ? "collective" : spec);
    if (ranges.size() > 1 || ranges.front().algorithm != "collective")
      p.refuse("all_reduce_spec '" + spec +
               "': it is collective or collective#2 here; distributed_all_reduce takes the others");
    return ranges.front();
  }
};

}  // namespace

CONVOY_STRATEGY(
    CollectiveAllReduce, "name=collective_all_reduce", "version=0.1.0",
    "description=Every device of every worker keeps all variables; gradients are summed by the "
    "devices' own collectives and applied by each.",
    "claim=synchronous", "auto=false",
    "option=all_reduce_spec:string:::collective (also when empty) = one collective per pack, "
    "collective#2 = two over its halves.",
    CONVOY_GRADIENT_PACK_OPTIONS,
    "option=cross_replica_sync:bool:true::Workers meet every step; false is refused.",
    "needs=all_reduce,apply,forward,backward")
