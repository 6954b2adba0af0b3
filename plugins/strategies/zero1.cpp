#include <convoy/strategy.hpp>

#include <vector>

namespace {

// ZeRO, stage 1 (Rajbhandari et al., 2020): every replica keeps the optimizer's state of a part of
// the variables. It gets the sum of that part's gradients, applies it and sends the result to all
// replicas.
class ShardedOptimizer : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    p.compute();
    for (const convoy::Range bucket : p.buckets()) {
      std::vector<convoy::Span> sums, updated;  // one piece per replica
      for (const convoy::Range piece : convoy::split(bucket, p.replica_count())) {
        const convoy::ReplicaId owner = p.replicas()[sums.size()];
        sums.push_back(p.scratch(p.replica_place(owner), piece.count));
        updated.push_back(p.parameters(owner)[piece]);
      }
      p.reduce_scatter(sums, p.all_gradients(bucket));
      for (std::size_t i = 0; i < sums.size(); ++i) p.apply(updated[i], sums[i]);
      p.all_gather(p.all_parameters(bucket), updated);
    }
  }
};

}  // namespace

CONVOY_STRATEGY(ShardedOptimizer, "name=zero1", "version=0.1.0",
                "description=Every device keeps the optimizer's state of a part of the variables "
                "and updates that part for all (ZeRO, stage 1).",
                "claim=synchronous", "needs=forward,backward,reduce_scatter,apply,all_gather")
