// @NAME@: a strategy for convoy. It writes one training step as data. convoy finds out what may
// overlap, proves what the plan computes, and runs it.

#include <convoy/strategy.hpp>

namespace {

// Every replica holds the variables. Their gradients are summed, and each replica applies the sum.
class @CLASS@ : public convoy::Strategy {
 public:
  void plan(convoy::Planner& planner) override {
    planner.compute();  // forward and backward of every replica
    convoy::CollectiveOptions how;
    if (planner.option("algorithm") == "ring") how.algorithm = convoy::Algorithm::kRing;
    for (convoy::Range bucket : planner.buckets()) {
      planner.all_reduce(planner.all_gradients(bucket), how);
      for (convoy::ReplicaId replica : planner.replicas()) {
        planner.apply(planner.parameters(replica)[bucket], planner.gradient(replica)[bucket]);
      }
    }
  }
};

}  // namespace

CONVOY_STRATEGY(@CLASS@, "name=@NAME@", "version=0.1.0",
                "description=Sums the gradients of all replicas and applies them everywhere.",
                "claim=synchronous",
                "option=algorithm:enum:device:device|ring:How the gradients travel.",
                "needs=forward,backward,all_reduce,apply")
