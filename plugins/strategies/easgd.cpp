#include <convoy/strategy.hpp>

#include <vector>

namespace {

// Elastic averaging SGD (Zhang, Choromanska and LeCun, 2015): every replica trains by itself. An
// elastic force pulls each replica towards a center, and the center towards all replicas. The
// center is in the host's memory.
class ElasticAveraging : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const std::int64_t steps = p.integer("local_steps");
    if (steps < 1 || steps > 64) p.refuse("local_steps is from 1 to 64");
    const double moving = p.number("moving_rate");
    if (!(moving > 0 && moving < 1)) p.refuse("moving_rate is between 0 and 1");
    const convoy::Buffer center =
        p.persistent(p.host_place(convoy::ReplicaId(0)), p.arena_elements());
    p.name(center, "center");
    p.prologue([&] { p.copy(center, p.parameters(convoy::ReplicaId(0))); });
    for (std::int64_t i = 0; i < steps; ++i) {
      p.compute();
      for (const convoy::Range range : p.buckets())
        for (const auto r : p.replicas())
          p.apply(p.parameters(r)[range], p.gradient(r)[range], {.contributions = 1});
    }
    for (const convoy::Range range : p.buckets())
      pull(p, center[range], range, moving / p.replica_count());
  }

 private:
  static void pull(convoy::Planner& p, convoy::Span center, convoy::Range range, double by) {
    std::vector<convoy::Span> parts{center};
    for (const auto r : p.replicas()) {
      const convoy::Buffer seen = p.scratch(p.replica_place(r), range.count);
      const convoy::Buffer pulled = p.scratch(p.replica_place(r), range.count);
      p.copy(seen, center);
      p.axpy(pulled, -1, seen, p.parameters(r)[range]);
      p.scale(pulled, pulled, by);
      p.axpy(p.parameters(r)[range], -1, pulled, p.parameters(r)[range]);
      parts.push_back(pulled);
    }
    p.sum(center, parts);
  }
};

}  // namespace

CONVOY_STRATEGY(
    ElasticAveraging, "name=easgd", "version=0.1.0",
    "description=Devices train alone; they and a common center pull each other (elastic "
    "averaging).",
    "claim=approximate",
    "option=local_steps:int:1::Local steps between two exchanges with the center, 1 to 64.",
    "option=moving_rate:float:0.9::Fraction of the way that the center moves towards the devices' "
    "mean, between 0 and 1; each device moves towards the center by this divided by the number of "
    "devices.",
    "needs=forward,backward,apply,copy,axpy,scale,sum")
