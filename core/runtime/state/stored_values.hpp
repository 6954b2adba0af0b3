#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"
#include "core/plan/lower/guard.hpp"
#include "core/plan/plan.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/network/cluster_task.hpp"
#include "core/runtime/state/model_values.hpp"

namespace convoy::runtime {

// The values that training changes, in the memory of a plan. Reading returns the values after the
// last finished step. On several hosts, all tasks make the same reading call at the same time, and
// each gets the values of all. Only the loss scale is read without the others.
class StoredValues {
 public:
  // `plan` is lowered and has all stages. `task` is null on a single host. All arguments must
  // outlive this object.
  StoredValues(const graph::Graph& graph, const graph::Arena& arena, const plan::Plan& plan,
               PlanMemory& memory, const ClusterTask* task);

  // The parameters, and replica 0's batch norm statistics.
  ModelValues read_model() const;
  // The hash of the same values, in 32 hexadecimal digits, without a copy of all of them: XXH3 with
  // 128 bits, in its canonical form (what xxh128sum prints), over the float32 values of all
  // variables in creation order, each in its plain layout (OIHW, OI or N), then of the moving
  // statistics of every batch norm in layer order (means, then variances). Equal values have equal
  // hashes whatever the devices, their storage or the strategy.
  std::string parameter_hash() const;
  // Writes every copy. Only before the first step or forward only, because a strategy may keep
  // copies of its own that this does not change. Error as require_values_of().
  void write_model(const ModelValues& values);
  // Does the same for one variable. The values are in plain order.
  void write_variable(std::size_t variable, std::span<const float> values);

  OptimizerValues read_optimizer() const;
  // Updates that the optimizer's state has received: the largest number over all elements.
  std::uint64_t updates() const;
  // If `slots` is empty, the state keeps its contents.
  void write_optimizer(const OptimizerValues& slots, std::uint64_t updates);

  // The sum of w^2 over decayed elements.
  double square_sum() const;

  // The loss scale. Setting it changes that of the next step. Call both only while no step is open.
  // Without loss scaling it is always 1, and setting it has no effect.
  plan::LossScale loss_scale() const;
  void set_loss_scale(const plan::LossScale& value);

  // All of these values in the order of storage, for another plan with the same storage.
  struct Snapshot {
    std::vector<float> parameters;
    std::vector<std::vector<float>> optimizer;  // per slot
    std::uint64_t updates = 0;
    std::map<std::uint32_t, std::vector<float>> statistics;  // by replica of this host
    plan::LossScale loss_scale;
  };
  Snapshot snapshot() const;
  // Restores all values except the loss scale, which the plan's prologue sets.
  void restore(const Snapshot& state);

 private:
  std::vector<float> read_statistics() const;
  void read_parameters(const plan::ElementRange& range, float* values) const;
  std::vector<float> read_slot(std::uint32_t slot, const plan::ElementRange& range) const;
  void visit_variable(std::size_t variable,
                      const std::function<void(std::span<const float>)>& visit) const;
  void take_from_holders(const plan::ElementRange& range, float* values) const;
  std::vector<float> plain(std::size_t variable, std::vector<float> storage) const;
  std::vector<float> packed(std::size_t variable, const std::vector<float>& values,
                            float padding) const;

  const graph::Graph& graph_;
  const graph::Arena& arena_;
  const plan::Plan& plan_;
  PlanMemory& memory_;
  const ClusterTask* task_;
};

}  // namespace convoy::runtime
