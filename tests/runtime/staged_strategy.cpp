#include "tests/runtime/staged_strategy.hpp"

#include <convoy/strategy.hpp>

#include "tests/runtime/lagging_strategy.hpp"

namespace convoy::testing {
namespace {

class Staged : public Strategy {
 public:
  void plan(Planner& p) override {
    p.compute();
    for (const Range range : p.buckets()) {
      p.all_reduce(p.all_gradients(range));
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[range], p.gradient(r)[range]);
    }
    p.from_step(static_cast<std::uint64_t>(p.integer("max_lag")), [&] { train_alone(p); });
  }

 private:
  static void train_alone(Planner& p) {
    for (int i = 0; i < 2; ++i) {
      p.compute();
      for (const auto r : p.replicas())
        p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
    }
    p.all_reduce(p.all_parameters(p.arena()));
    for (const auto r : p.replicas()) move_on(p, r);
  }

  static void move_on(Planner& p, ReplicaId r) {
    const PlaceId here = p.replica_place(r);
    const Span mean = p.parameters(r);
    const Buffer point = p.persistent(here, p.arena_elements());
    const Buffer velocity = p.persistent(here, p.arena_elements());
    const Buffer moved = p.scratch(here, p.arena_elements());
    p.prologue([&] { p.copy(point, mean); });
    p.scale(mean, mean, 1.0 / p.replica_count());
    p.axpy(moved, -1, mean, point);
    p.axpy(velocity, 0.5, velocity, moved);
    p.axpy(point, -1, velocity, point);
    p.copy(mean, point);
  }
};

}  // namespace

std::unique_ptr<plugin::StrategyPlugin> staged_strategy(std::int64_t first_step) {
  return built_in_strategy<Staged>("staged", first_step);
}

}  // namespace convoy::testing
