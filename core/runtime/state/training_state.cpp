#include "core/runtime/state/training_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/plan/schedule/live_ranges.hpp"
#include "core/plan/stages.hpp"
#include "core/runtime/prepared_plan.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::runtime {
namespace {

using Ranges = std::vector<plan::ElementRange>;
using Bytes = std::vector<std::byte>;

template <typename Number>
Bytes bytes_of(const std::vector<Number>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <typename Number>
std::vector<Number> numbers_of(const Bytes& bytes) {
  std::vector<Number> values(bytes.size() / sizeof(Number));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Number));
  return values;
}

// The names of all buffers. An author may give several at one place the same name; the second of
// them becomes "residual (cpu:0) #2".
std::vector<std::string> unique_names(const plan::Plan& plan) {
  std::vector<std::string> names;
  std::map<std::string, int> given;
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    names.push_back(plan.buffer_name(i));
    const int number = ++given[names.back()];
    if (number > 1) names.back() += fmt::format(" #{}", number);
  }
  return names;
}

// A piece of memory that lives across iterations. Contents are bytes of ranges of its elements.
struct LivePiece {
  using Contents = std::function<Bytes(const plan::ElementRange&)>;

  std::string name;
  std::uint32_t dtype = CONVOY_F32;
  std::uint64_t count = 0;  // elements
  Ranges ranges;            // the elements whose contents later steps need
  Contents implied;         // the contents if the state does not mention the piece
  Contents read;
  std::function<void(const Bytes&)> write;

  // Compares in stretches, because the piece may be as large as the model.
  bool holds_what_is_implied() const {
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20;
    for (const plan::ElementRange& range : ranges)
      for (std::uint64_t done = 0; done < range.count; done += kAtOnce) {
        const plan::ElementRange stretch{range.first + done, std::min(kAtOnce, range.count - done)};
        if (read(stretch) != implied(stretch)) return false;
      }
    return true;
  }
};

// All pieces of a session, one after the other. Implied contents are read from the session, whose
// canonical values must be set.
class LivePieces {
 public:
  // `step` is the next step, and `phase` is the phase of its stage's body with which it begins.
  LivePieces(Session& session, std::int64_t step, std::uint32_t phase)
      : session_(session),
        plan_(session.plan()->step.lowered()),
        names_(unique_names(plan_)),
        memory_(session.memory()),
        step_(static_cast<std::uint64_t>(step)),
        phase_(phase) {}

  void for_each(const std::function<void(const LivePiece&)>& visit) const {
    visit_buffers(visit);
    visit_optimizer(visit);
    visit_update_counts(visit);
    visit_statistics(visit);
  }

 private:
  void visit_buffers(const std::function<void(const LivePiece&)>& visit) const {
    const auto live = plan::live_ranges_at(plan_, step_, phase_);
    for (std::uint32_t i = 0; i < live.size(); ++i) {
      if (live[i].empty()) continue;
      const plan::PlanBuffer& buffer = plan_.buffers[i];
      const bool copy = buffer.is_of_model();
      LivePiece piece{names_[i], buffer.dtype, buffer.count, live[i], {}, {}, {}};
      piece.implied = [this, copy,
                       size = plan::dtype_bytes(buffer.dtype)](const plan::ElementRange& range) {
        return copy ? bytes_of(memory_.read_parameters(range)) : Bytes(range.count * size);
      };
      piece.read = [this, i](const plan::ElementRange& range) {
        return memory_.read_bytes(i, range);
      };
      piece.write = [this, i](const Bytes& bytes) { memory_.write_bytes(i, bytes); };
      visit(piece);
    }
  }

  void visit_optimizer(const std::function<void(const LivePiece&)>& visit) const {
    const auto updated = plan::updated_ranges(plan_);
    for (std::uint32_t slot = 0; slot < memory_.state_slots(); ++slot)
      for (std::uint32_t i = 0; i < updated.size(); ++i)
        if (!updated[i].empty()) visit(optimizer_piece(i, slot, updated[i]));
  }

  LivePiece optimizer_piece(std::uint32_t buffer, std::uint32_t slot, const Ranges& ranges) const {
    const auto kind = static_cast<convoy_optimizer_kind>(session_.options().optimizer.kind);
    LivePiece piece{fmt::format("{}/{}", names_[buffer], train::state_name(kind, slot)),
                    CONVOY_F32,
                    plan_.buffers[buffer].count,
                    ranges,
                    {},
                    {},
                    {}};
    piece.implied = [this, slot](const plan::ElementRange& range) {
      return bytes_of(memory_.read_optimizer_state(slot, range));
    };
    piece.read = [this, buffer, slot](const plan::ElementRange& range) {
      return bytes_of(memory_.read_state(buffer, slot, range));
    };
    piece.write = [this, buffer, slot](const Bytes& bytes) {
      memory_.write_state(buffer, slot, numbers_of<float>(bytes));
    };
    return piece;
  }

  // Visits one count per cell. Counts are omitted if all elements have had the same number of
  // updates.
  void visit_update_counts(const std::function<void(const LivePiece&)>& visit) const {
    if (memory_.state_slots() == 0) return;
    for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i) {
      const std::span<plan::UpdateCounts::Cell> cells = memory_.update_counts().cells(i);
      if (cells.empty()) continue;
      LivePiece piece{
          names_[i] + "/updates", CONVOY_I32, cells.size(), {{0, cells.size()}}, {}, {}, {}};
      piece.implied = [this](const plan::ElementRange& range) {
        return bytes_of(std::vector(range.count, number_of(memory_.update_counts().most())));
      };
      piece.read = [cells](const plan::ElementRange& range) {
        std::vector<std::uint32_t> numbers;
        for (const plan::UpdateCounts::Cell& cell : cells.subspan(range.first, range.count))
          numbers.push_back(number_of(cell.updates));
        return bytes_of(numbers);
      };
      piece.write = [cells](const Bytes& bytes) {
        const std::vector<std::uint32_t> numbers = numbers_of<std::uint32_t>(bytes);
        for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell].updates = numbers[cell];
      };
      visit(piece);
    }
  }

  static std::uint32_t number_of(std::uint64_t updates) {
    return static_cast<std::uint32_t>(updates);
  }

  Bytes statistics(std::uint32_t replica, const plan::ElementRange& range) const {
    const std::vector<float> all = memory_.read_replica_state(replica);
    const auto bytes = std::as_bytes(std::span(all).subspan(range.first, range.count));
    return {bytes.begin(), bytes.end()};
  }

  void visit_statistics(const std::function<void(const LivePiece&)>& visit) const {
    const std::uint64_t count = session_.graph().state_elements();
    if (count == 0) return;
    for (std::uint32_t replica = 1; replica < session_.cluster().replicas(); ++replica) {
      LivePiece piece{
          fmt::format("statistics({})", replica), CONVOY_F32, count, {{0, count}}, {}, {}, {}};
      piece.implied = [this](const plan::ElementRange& range) { return statistics(0, range); };
      piece.read = [this, replica](const plan::ElementRange& range) {
        return statistics(replica, range);
      };
      piece.write = [this, replica](const Bytes& bytes) {
        memory_.write_replica_state(replica, numbers_of<float>(bytes));
      };
      visit(piece);
    }
  }

  Session& session_;
  const plan::Plan& plan_;
  const std::vector<std::string> names_;  // per buffer
  PlanMemory& memory_;
  std::uint64_t step_;
  std::uint32_t phase_;
};

void write_parts(Session& session, const TrainingState& state, std::int64_t first_step) {
  std::vector<const StatePart*> unknown;
  for (const StatePart& part : state.parts) unknown.push_back(&part);
  LivePieces(session, first_step, state.phase).for_each([&](const LivePiece& piece) {
    const auto found =
        std::ranges::find(unknown, piece.name, [](const auto* it) { return it->name; });
    if (found == unknown.end()) return;
    const StatePart& part = **found;
    if (part.dtype != piece.dtype ||
        part.bytes.size() != piece.count * plan::dtype_bytes(piece.dtype))
      fail(ExitCode::kFailed, "saved state of {}: {} bytes of {}, but the plan has {} of {}",
           part.name, part.bytes.size(), plan::dtype_name(part.dtype),
           piece.count * plan::dtype_bytes(piece.dtype), plan::dtype_name(piece.dtype));
    piece.write(part.bytes);
    unknown.erase(found);
  });
  if (!unknown.empty())
    fail(ExitCode::kFailed, "saved state of {}, which the plan does not have",
         unknown.front()->name);
}

}  // namespace

StateIdentity identity_of(const Session& session) {
  return {plan::plan_hash(session.plan()->step.lowered()), session.arena().hash(),
          session.cluster().replicas(), session.options().batch};
}

bool keeps_parts(const Session& session) {
  using plan::check::Verdict;
  const plan::check::CheckReport& report = session.plan()->step.check();
  const Verdict exact = report.exact;
  // Asynchronous replicas take the master's parameters in every step.
  const bool replicas_agree = exact == Verdict::kSynchronous || exact == Verdict::kStale ||
                              exact == Verdict::kSynchronousEvery ||
                              exact == Verdict::kAppliesPerStep ||
                              exact == Verdict::kAsynchronous || report.is_sharpness_aware;
  if (!replicas_agree && session.cluster().replicas() > 1) return true;
  const plan::Plan& plan = session.plan()->step.lowered();
  const std::set<std::uint32_t> scales = loss_scale_buffers(plan);
  const auto is_part = [&](std::uint32_t buffer) {
    return !plan.buffers[buffer].is_of_model() && !scales.contains(buffer);
  };
  for (std::size_t stage = 0; stage < plan::stage_count(plan); ++stage)
    for (std::uint32_t phase = 0; phase < plan::computes_of(plan, stage); ++phase) {
      const auto live = plan::live_ranges_at(plan, plan::first_step_of(plan, stage), phase);
      for (std::uint32_t i = 0; i < live.size(); ++i)
        if (!live[i].empty() && is_part(i)) return true;
    }
  return false;
}

TrainingState read_training_state(Session& session) {
  TrainingState state;
  state.values = session.values().read_model();
  state.optimizer = session.values().read_optimizer();
  state.updates = session.values().updates();
  state.loss_scale = session.values().loss_scale();
  if (session.task() != nullptr) return state;
  state.complete = true;
  state.phase = session.executor().phase();
  LivePieces(session, session.executor().next_step(), state.phase)
      .for_each([&](const LivePiece& piece) {
        if (!piece.holds_what_is_implied())
          state.parts.push_back({piece.name, piece.dtype, piece.read({0, piece.count})});
      });
  return state;
}

void write_training_state(Session& session, const TrainingState& state, std::int64_t first_step) {
  session.memory().reset();
  session.values().write_model(state.values);
  session.values().write_optimizer(state.optimizer, state.updates);
  if (state.complete) write_parts(session, state, first_step);
  session.restart(first_step, state.complete ? std::optional(state.phase) : std::nullopt);
  if (session.options().guard.automatic_loss_scale)
    session.values().set_loss_scale(state.loss_scale);
}

}  // namespace convoy::runtime
