#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/lower/guard.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/state/model_values.hpp"

namespace convoy::runtime {

// Contents of one buffer of the lowered plan that do not follow from the rest of a training state:
// a gradient applied in a later step, for example, or the parameters of a replica that trains
// alone.
struct StatePart {
  std::string name;         // "gradient(0, set 1)", "master(host:0)/momentum", "statistics(1)"
  std::uint32_t dtype = 0;  // convoy_dtype
  std::vector<std::byte> bytes;
};

// The state from which training continues, between two steps.
struct TrainingState {
  ModelValues values;
  OptimizerValues optimizer;  // empty: the slots' initial values
  // Updates that the optimizer's state has received; 0 if the slots have their initial values.
  std::uint64_t updates = 0;
  plan::LossScale loss_scale;
  // Whether `parts` are known. With them, a session with the same lowered plan and storage gives
  // the same bits as an uninterrupted one. Without them, it continues from values and optimizer
  // state alone.
  bool complete = false;
  std::uint32_t phase = 0;  // the phase of the plan's body with which the next step begins
  std::vector<StatePart> parts;
};

// The plan and storage to which `parts` belong.
struct StateIdentity {
  std::uint64_t plan_hash = 0;     // hash of the lowered plan
  std::uint64_t storage_hash = 0;  // hash of the arena
  std::uint32_t replicas = 0;
  std::uint32_t batch = 0;  // per replica

  bool operator==(const StateIdentity&) const = default;
};

StateIdentity identity_of(const Session& session);

// Returns whether steps of the session's plan may leave anything that `parts` hold: a state without
// parts then does not give the bits of an uninterrupted training.
bool keeps_parts(const Session& session);

// Requires that nothing is queued. On several hosts all tasks read at the same time, and each gets
// the same state. It is not complete, because the parts of other hosts are not read.
TrainingState read_training_state(Session& session);

// Call it before the first step, whose number becomes `first_step`. Parts must belong to this
// session. Without a complete state, the plan's prologue runs again on the values. Error kFailed
// naming a part that the plan does not have.
void write_training_state(Session& session, const TrainingState& state, std::int64_t first_step);

}  // namespace convoy::runtime
