#include <convoy/strategy.hpp>

namespace {

// Local SGD (Stich, 2018): replicas train by themselves, then all continue from the mean of their
// parameters. Outer momentum makes it SlowMo (Wang et al., 2020), outer_nesterov makes it DiLoCo
// (Douillard et al., 2023).
class LocalSgd : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const std::int64_t steps = p.integer("local_steps");
    if (steps < 1 || steps > 64) p.refuse("local_steps is from 1 to 64");
    for (std::int64_t i = 0; i < steps; ++i) {
      p.compute();
      for (const convoy::Range range : p.buckets())
        for (const auto r : p.replicas())
          p.apply(p.parameters(r)[range], p.gradient(r)[range], {.contributions = 1});
    }
    const double rate = p.number("outer_rate");
    const double momentum = p.number("outer_momentum");
    if (!(rate > 0 && rate <= 1 && momentum >= 0 && momentum < 1))
      p.refuse("outer_rate is above 0 and at most 1, outer_momentum from 0 to below 1");
    for (const convoy::Range range : p.buckets()) {
      p.all_reduce(p.all_parameters(range));
      for (const auto r : p.replicas()) {
        const convoy::Span mean = p.parameters(r)[range];
        p.scale(mean, mean, 1.0 / p.replica_count());
        if (rate != 1 || momentum != 0) move_on(p, r, mean, rate, momentum);
      }
    }
  }

 private:
  // All replicas have the same point and the same momentum, and update them in the same way.
  static void move_on(convoy::Planner& p, convoy::ReplicaId r, convoy::Span mean, double rate,
                      double momentum) {
    const convoy::PlaceId here = p.replica_place(r);
    const convoy::Buffer point = p.persistent(here, mean.count);
    const convoy::Buffer velocity = p.persistent(here, mean.count);
    const convoy::Buffer moved = p.scratch(here, mean.count);
    p.prologue([&] { p.copy(point, mean); });
    p.axpy(moved, -1, mean, point);
    p.axpy(velocity, momentum, velocity, moved);
    const bool nesterov = p.flag("outer_nesterov");
    if (nesterov) p.axpy(moved, momentum, velocity, moved);
    p.axpy(point, -rate, nesterov ? moved : velocity, point);
    p.copy(mean, point);
  }
};

}  // namespace

CONVOY_STRATEGY(
    LocalSgd, "name=local_sgd", "version=0.1.0",
    "description=Devices train alone, then meet at their mean.", "claim=approximate",
    "option=local_steps:int:4::Steps that every device trains by itself, 1 to 64.",
    "option=outer_rate:float:1::Outer learning rate: how far replicas move towards their mean, "
    "above 0 and at most 1.",
    "option=outer_momentum:float:0::Outer momentum (SlowMo, DiLoCo), from 0 to below 1.",
    "option=outer_nesterov:bool:false::Nesterov's form of the outer momentum.",
    "needs=forward,backward,apply,all_reduce,scale,axpy,copy")
