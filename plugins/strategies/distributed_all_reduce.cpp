#include <convoy/strategy.hpp>

#include <vector>

#include "all_reduce_spec.hpp"
#include "gradient_packs.hpp"
#include "gradient_reducers.hpp"
#include "spec_reducer.hpp"

namespace {

using convoy_strategies::AllReduceRange;
using convoy_strategies::Reducer;

// Every device of every host keeps all variables. Gradients are summed over all devices variable by
// variable; small ones may use another algorithm than large ones. Every device applies the sum.
class DistributedAllReduce : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    if (!p.flag("cross_replica_sync"))
      p.refuse("cross_replica_sync=false: a sum over all devices waits for all of them");
    const std::vector<AllReduceRange> ranges = read_spec(p);
    std::vector<Reducer> reducers;
    reducers.reserve(ranges.size());
    for (const AllReduceRange& range : ranges)
      reducers.push_back(convoy_strategies::spec_reducer(p, range));
    const std::vector<convoy::Range> packs = read_packs(p);
    p.compute();
    for (std::size_t i = 0; i < packs.size(); ++i) {
      reducers[range_of(ranges, packs[i].count)](p, p.all_gradients(packs[i]), i);
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[packs[i]], p.gradient(r)[packs[i]]);
    }
  }

 private:
  static std::vector<AllReduceRange> read_spec(const convoy::Planner& p) {
    const std::string spec = p.option("all_reduce_spec");
    if (spec.empty())
      p.refuse(
          "it needs an all_reduce_spec: on one host pscpu, psgpu, xring or collective, on several "
          "also nccl/xring, nccl/rechd, nccl/pscpu or pscpu/pscpu; pscpu:2k:xring takes pscpu for "
          "up to 2048 elements");
    return convoy_strategies::parse_all_reduce_spec(spec);
  }

  static std::vector<convoy::Range> read_packs(const convoy::Planner& p) {
    const std::int64_t bytes = p.integer("agg_small_grads_max_bytes");
    const std::int64_t group = p.integer("agg_small_grads_max_group");
    if (bytes < 0 || group < 1)
      p.refuse("agg_small_grads_max_bytes=" + std::to_string(bytes) +
               ", agg_small_grads_max_group=" + std::to_string(group) +
               ": the first is at least 0, the second at least 1");
    return convoy_strategies::pack_small_gradients(p, static_cast<std::uint64_t>(bytes),
                                                   static_cast<std::uint64_t>(group));
  }

  // Returns the first range whose limit is not below the number of elements; the last range has no
  // limit.
  static std::size_t range_of(const std::vector<AllReduceRange>& ranges, std::uint64_t elements) {
    std::size_t i = 0;
    while (i + 1 < ranges.size() && ranges[i].limit >= 0 &&
           static_cast<std::uint64_t>(ranges[i].limit) < elements)
      ++i;
    return i;
  }
};

}  // namespace

CONVOY_STRATEGY(
    DistributedAllReduce, "name=distributed_all_reduce", "version=0.1.0",
    "description=Every device of every host keeps all variables; gradients are summed as a spec "
    "says, by size, and applied by each.",
    "claim=synchronous",
    "option=all_reduce_spec:string:::How gradients are summed; ALGORITHM:LIMIT:ALGORITHM... takes "
    "the first one for up to so many elements (k, M, G for powers of 1024).",
    "option=agg_small_grads_max_bytes:int:0::Gradients up to this size are packed with their "
    "neighbours; 0 = off.",
    "option=agg_small_grads_max_group:int:10::Maximum number of gradients in such a pack.",
    "option=cross_replica_sync:bool:true::Workers meet every step; false is refused.",
    "needs=copy,add,sum,all_reduce,reduce,broadcast,apply,forward,backward")
