#include <convoy/strategy.hpp>

#include <vector>

namespace {

// Variables live in one place; every step all replicas fetch them, and their gradients are summed
// and applied where the variables are. With local_parameter_device=gpu every bucket is cut evenly
// over the compute devices, which balances any model; with cpu the host keeps them.
class ParameterServer : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const Shards shards = place_variables(p);
    if (p.flag("staged_vars")) return plan_staged(p, shards);
    if (p.option("variable_consistency") == "relaxed") return plan_relaxed(p, shards);
    fetch(p, shards, 0);
    p.compute();
    update(p, shards, 0);
  }

 private:
  // Part of the arena and the place that owns it.
  struct Shard {
    convoy::Range range;
    std::uint32_t server;
  };
  using Shards = std::vector<Shard>;

  static Shards place_variables(const convoy::Planner& p) {
    const bool on_host = p.option("local_parameter_device") == "cpu";
    Shards shards;
    for (const convoy::Range bucket : p.buckets()) {
      if (on_host) {
        shards.push_back({bucket, p.host_place(0)});
        continue;
      }
      std::uint32_t replica = 0;
      for (const convoy::Range piece : convoy::split(bucket, p.replica_count()))
        shards.push_back({piece, p.replica_place(replica++)});
    }
    return shards;
  }

  static void fetch(convoy::Planner& p, const Shards& shards, std::uint32_t set) {
    for (const Shard& shard : shards)
      for (const auto r : p.replicas())
        p.copy(p.parameters(r, set)[shard.range], p.master(shard.server)[shard.range]);
  }

  static void update(convoy::Planner& p, const Shards& shards, std::uint32_t set) {
    for (const Shard& shard : shards) {
      const convoy::Buffer total = p.scratch(shard.server, shard.range.count);
      p.sum(total, p.gradients(shard.range, set));
      p.apply(p.master(shard.server)[shard.range], total);
    }
  }

  static void clear_gradients(convoy::Planner& p, std::uint32_t set) {
    for (const auto r : p.replicas()) p.fill(p.gradient(r, set), 0);
  }

  // Software pipeline: a step computes on what was fetched during the step before, and its
  // gradients are applied during the step after. Two sets take turns, so nothing is copied for it.
  static void plan_staged(convoy::Planner& p, const Shards& shards) {
    p.prologue([&] {
      fetch(p, shards, 0);
      clear_gradients(p, 1);
    });
    for (const std::uint32_t set : {0u, 1u}) {
      fetch(p, shards, 1 - set);
      p.compute({.parameters_set = set, .gradients_set = set});
      update(p, shards, 1 - set);
    }
  }

  // Gradients are applied one step late, so that summing them never delays the next step.
  static void plan_relaxed(convoy::Planner& p, const Shards& shards) {
    p.prologue([&] { clear_gradients(p, 1); });
    for (const std::uint32_t set : {0u, 1u}) {
      fetch(p, shards, 0);
      p.compute({.gradients_set = set});
      update(p, shards, 1 - set);
    }
  }
};

}  // namespace

CONVOY_STRATEGY(ParameterServer, "name=parameter_server", "version=0.1.0",
                "description=Variables in one place: fetched by all replicas every step, updated "
                "with the mean of their gradients.",
                "claim=synchronous|stale",
                "option=local_parameter_device:enum:gpu:cpu|gpu:Where variables live: cpu = host "
                "memory, gpu = spread over the compute devices, whatever they are.",
                "option=staged_vars:bool:false::Compute on values fetched one step earlier and "
                "apply gradients one step later; includes variable_consistency=relaxed.",
                "option=variable_consistency:enum:strong:strong|relaxed:relaxed = apply the "
                "gradients of the step before.",
                "variant=local_parameter_device=cpu", "variant=local_parameter_device=gpu",
                "needs=copy,fill,sum,apply,forward,backward")
