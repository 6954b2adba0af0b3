#include "core/runtime/training_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/base/error.hpp"
#include "core/plan/live_ranges.hpp"
#include "core/train/optimizer.hpp"

namespace convoy {
namespace {

using Ranges = std::vector<ElementRange>;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

std::vector<float> floats_of(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

// A piece of memory that lives across iterations.
struct LivePiece {
  std::string name;
  std::uint32_t dtype = CONVOY_F32;
  std::uint64_t count = 0;  // elements
  Ranges ranges;            // the elements that matter
  Bytes implied;            // what it holds when nothing is said about it
  std::function<Bytes()> read;
  std::function<void(const Bytes&)> write;

  bool holds(const Bytes& bytes) const {
    const std::uint64_t size = dtype_bytes(dtype);
    return std::ranges::all_of(ranges, [&](const ElementRange& range) {
      return std::memcmp(bytes.data() + range.first * size, implied.data() + range.first * size,
                         range.count * size) == 0;
    });
  }
};

// All pieces of a session, one after the other: each may be as large as the model. What a piece
// implies is read from the session, whose canonical values must be in place.
class LivePieces {
 public:
  LivePieces(Session& session, std::uint32_t phase)
      : session_(session),
        plan_(session.lowered_plan()),
        memory_(session.memory()),
        phase_(phase) {}

  void for_each(const std::function<void(const LivePiece&)>& visit) const {
    visit_buffers(visit);
    visit_optimizer(visit);
    visit_statistics(visit);
  }

 private:
  void visit_buffers(const std::function<void(const LivePiece&)>& visit) const {
    const Bytes parameters = bytes_of(memory_.read_parameters());
    const auto live = live_ranges(plan_, phase_);
    for (std::uint32_t i = 0; i < live.size(); ++i) {
      if (live[i].empty()) continue;
      const PlanBuffer& buffer = plan_.buffers[i];
      const bool copy = buffer.kind == CONVOY_BUFFER_PARAMETERS ||  //
                        buffer.kind == CONVOY_BUFFER_MASTER;
      LivePiece piece{plan_.buffer_name(i), buffer.dtype, buffer.count, live[i], {}, {}, {}};
      piece.implied = copy ? parameters : Bytes(buffer.count * dtype_bytes(buffer.dtype));
      piece.read = [this, i] { return memory_.read_bytes(i); };
      piece.write = [this, i](const Bytes& bytes) { memory_.write_bytes(i, bytes); };
      visit(piece);
    }
  }

  void visit_optimizer(const std::function<void(const LivePiece&)>& visit) const {
    const auto kind = static_cast<convoy_optimizer_kind>(session_.options().optimizer.kind);
    const auto updated = updated_ranges(plan_);
    for (std::uint32_t slot = 0; slot < memory_.state_slots(); ++slot) {
      const Bytes canonical = bytes_of(memory_.read_optimizer_state(slot));
      for (std::uint32_t i = 0; i < updated.size(); ++i) {
        if (updated[i].empty()) continue;
        const PlanBuffer& buffer = plan_.buffers[i];
        LivePiece piece{fmt::format("{}/{}", plan_.buffer_name(i), state_name(kind, slot)),
                        CONVOY_F32,
                        buffer.count,
                        updated[i],
                        canonical,
                        {},
                        {}};
        piece.read = [this, i, slot] { return bytes_of(memory_.read_state(i, slot)); };
        piece.write = [this, i, slot](const Bytes& bytes) {
          memory_.write_state(i, slot, floats_of(bytes));
        };
        visit(piece);
      }
    }
  }

  void visit_statistics(const std::function<void(const LivePiece&)>& visit) const {
    const std::uint64_t count = session_.graph().state_elements();
    if (count == 0) return;
    const Bytes canonical = bytes_of(memory_.read_replica_state(0));
    for (std::uint32_t replica = 1; replica < session_.replicas(); ++replica) {
      LivePiece piece{fmt::format("statistics({})", replica),
                      CONVOY_F32,
                      count,
                      {{0, count}},
                      canonical,
                      {},
                      {}};
      piece.read = [this, replica] { return bytes_of(memory_.read_replica_state(replica)); };
      piece.write = [this, replica](const Bytes& bytes) {
        memory_.write_replica_state(replica, floats_of(bytes));
      };
      visit(piece);
    }
  }

  Session& session_;
  const Plan& plan_;
  PlanMemory& memory_;
  std::uint32_t phase_;
};

void write_parts(Session& session, const TrainingState& state) {
  std::vector<const StatePart*> unknown;
  for (const StatePart& part : state.parts) unknown.push_back(&part);
  LivePieces(session, state.phase).for_each([&](const LivePiece& piece) {
    const auto found =
        std::ranges::find(unknown, piece.name, [](const auto* it) { return it->name; });
    if (found == unknown.end()) return;
    const StatePart& part = **found;
    if (part.dtype != piece.dtype || part.bytes.size() != piece.count * dtype_bytes(piece.dtype))
      fail(ExitCode::kFailed, "saved state of {}: {} bytes of {}, but the plan has {} of {}",
           part.name, part.bytes.size(), dtype_name(part.dtype),
           piece.count * dtype_bytes(piece.dtype), dtype_name(piece.dtype));
    piece.write(part.bytes);
    unknown.erase(found);
  });
  if (!unknown.empty())
    fail(ExitCode::kFailed, "saved state of {}, which the plan does not have",
         unknown.front()->name);
}

}  // namespace

StateIdentity identity_of(const Session& session) {
  return {plan_hash(session.lowered_plan()), session.arena().hash(), session.replicas(),
          session.options().batch};
}

TrainingState read_training_state(Session& session) {
  TrainingState state;
  state.values = session.read_values();
  for (std::uint32_t slot = 0; slot < session.memory().state_slots(); ++slot)
    state.optimizer.push_back(session.unpacked(session.memory().read_optimizer_state(slot)));
  state.loss_scale = session.loss_scale();
  state.complete = true;
  state.phase = session.executor().phase();
  LivePieces(session, state.phase).for_each([&](const LivePiece& piece) {
    Bytes bytes = piece.read();
    if (!piece.holds(bytes)) state.parts.push_back({piece.name, piece.dtype, std::move(bytes)});
  });
  return state;
}

void write_training_state(Session& session, const TrainingState& state, std::int64_t first_step) {
  require_values_of(session.graph(), state.values);
  PlanMemory& memory = session.memory();
  memory.reset();
  memory.write_parameters(session.packed(state.values.variables, 0));
  const auto kind = static_cast<convoy_optimizer_kind>(session.options().optimizer.kind);
  for (std::uint32_t slot = 0; slot < state.optimizer.size(); ++slot)
    memory.write_optimizer_state(
        slot, session.packed(state.optimizer[slot], static_cast<float>(state_initial(kind, slot))));
  if (!state.values.state.empty()) memory.write_replica_state(state.values.state);
  if (state.complete) write_parts(session, state);
  session.restart(first_step, state.complete ? std::optional(state.phase) : std::nullopt);
  if (session.options().guard.automatic_loss_scale) session.set_loss_scale(state.loss_scale);
}

}  // namespace convoy
