#include <convoy/strategy.hpp>

namespace {

// Every replica trains alone and exchanges nothing. Its speed is the upper bound for the other
// strategies.
class Independent : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    p.compute();
    for (const convoy::Range range : p.buckets())
      for (const auto r : p.replicas())
        p.apply(p.parameters(r)[range], p.gradient(r)[range], {.contributions = 1});
  }
};

}  // namespace

CONVOY_STRATEGY(Independent, "name=independent", "version=0.1.0",
                "description=Every device trains its own copy of the model; nothing is exchanged.",
                "claim=independent", "needs=forward,backward,apply")
