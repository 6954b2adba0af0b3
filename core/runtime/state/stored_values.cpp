#include "core/runtime/state/stored_values.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/files/byte_hash.hpp"
#include "core/base/text/sent_number.hpp"
#include "core/graph/layout.hpp"
#include "core/graph/row_slab.hpp"
#include "core/runtime/prepared_plan.hpp"

namespace convoy::runtime {
namespace {

// Elements of a variable that are read or written at once, so that memory outside the devices stays
// small.
constexpr std::uint64_t kStretch = std::uint64_t{1} << 20;

}  // namespace

StoredValues::StoredValues(const graph::Graph& graph, const graph::Arena& arena,
                           const plan::Plan& plan, PlanMemory& memory, const ClusterTask* task)
    : graph_(graph), arena_(arena), plan_(plan), memory_(memory), task_(task) {}

ModelValues StoredValues::read_model() const {
  ModelValues values{{}, read_statistics()};
  for (std::size_t i = 0; i < graph_.variables().size(); ++i) {
    std::vector<float>& variable = values.variables.emplace_back();
    variable.reserve(graph_.variables()[i].elements);
    visit_variable(i, [&](std::span<const float> rows) {
      variable.insert(variable.end(), rows.begin(), rows.end());
    });
  }
  return values;
}

std::string StoredValues::parameter_hash() const {
  ByteHash hash;
  const auto add = [&hash](std::span<const float> values) { hash.add(std::as_bytes(values)); };
  for (std::size_t i = 0; i < graph_.variables().size(); ++i) visit_variable(i, add);
  add(read_statistics());
  return hash.digits();
}

void StoredValues::write_model(const ModelValues& values) {
  require_values_of(graph_, values);
  for (std::size_t i = 0; i < values.variables.size(); ++i) write_variable(i, values.variables[i]);
  if (graph_.state_elements() > 0) memory_.write_replica_state(values.state);
}

void StoredValues::write_variable(std::size_t variable, std::span<const float> values) {
  const std::uint64_t first = arena_.range(variable).first;
  const float* next = values.data();
  std::vector<float> storage;
  for (const graph::RowSlab& slab : graph::row_slabs(
           arena_.layout(variable), graph_.variables().at(variable).dimensions, kStretch)) {
    storage.resize(slab.layout.elements);
    graph::pack(slab.layout, slab.dimensions, next, storage.data());
    next += slab.elements();
    std::span<const float> rest = storage;
    for (const convoy_range& piece : slab.pieces) {
      memory_.write_parameters(first + piece.first, rest.first(piece.count));
      rest = rest.subspan(piece.count);
    }
  }
}

OptimizerValues StoredValues::read_optimizer() const {
  OptimizerValues slots(memory_.state_slots());
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot)
    for (std::size_t i = 0; i < graph_.variables().size(); ++i)
      slots[slot].push_back(plain(i, read_slot(slot, arena_.range(i))));
  return slots;
}

std::uint64_t StoredValues::updates() const {
  std::uint64_t most = memory_.update_counts().most();
  if (task_ == nullptr) return most;
  for (const std::string& text : task_->peers->exchange(std::to_string(most)))
    most = std::max(most, sent_number<std::uint64_t>(text, "number of updates"));
  return most;
}

void StoredValues::write_optimizer(const OptimizerValues& slots, std::uint64_t updates) {
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot)
    for (std::size_t i = 0; i < graph_.variables().size(); ++i)
      memory_.write_optimizer_state(slot, arena_.range(i).first,
                                    packed(i, slots[slot].at(i), memory_.initial_of(slot)));
  memory_.update_counts().fill(updates);
}

double StoredValues::square_sum() const {
  double sum = 0;
  for (const convoy_decay_range& range : graph::decayed_ranges(graph_, arena_))
    for (std::uint64_t done = 0; done < range.count; done += kStretch) {
      std::vector<float> values(std::min(kStretch, range.count - done));
      read_parameters({range.first + done, values.size()}, values.data());
      for (const float value : values) sum += static_cast<double>(value) * value;
    }
  return sum;
}

plan::LossScale StoredValues::loss_scale() const {
  for (const std::uint32_t buffer : loss_scale_buffers(plan_)) {
    if (memory_.stored(buffer).empty()) continue;  // it belongs to another host
    const std::vector<float> values = memory_.read_buffer(buffer);
    return {values.at(0), values.at(1)};
  }
  return {};
}

void StoredValues::set_loss_scale(const plan::LossScale& value) {
  for (const std::uint32_t buffer : loss_scale_buffers(plan_))
    memory_.write_buffer(buffer,
                         {static_cast<float>(value.scale), static_cast<float>(value.clean_steps)});
}

StoredValues::Snapshot StoredValues::snapshot() const {
  Snapshot state;
  const plan::ElementRange all{0, arena_.elements()};
  state.parameters.resize(all.count);
  read_parameters(all, state.parameters.data());
  for (std::uint32_t slot = 0; slot < memory_.state_slots(); ++slot)
    state.optimizer.push_back(read_slot(slot, all));
  state.updates = updates();
  for (std::uint32_t replica = 0; replica < plan_.cluster->replicas(); ++replica)
    if (memory_.replica_state(replica) != nullptr)
      state.statistics[replica] = memory_.read_replica_state(replica);
  state.loss_scale = loss_scale();
  return state;
}

void StoredValues::restore(const Snapshot& state) {
  memory_.write_parameters(state.parameters);
  for (std::uint32_t slot = 0; slot < state.optimizer.size(); ++slot)
    memory_.write_optimizer_state(slot, 0, state.optimizer[slot]);
  memory_.update_counts().fill(state.updates);
  for (const auto& [replica, values] : state.statistics)
    memory_.write_replica_state(replica, values);
}

std::vector<float> StoredValues::read_statistics() const {
  std::vector<float> values = memory_.read_replica_state(0);
  if (task_ == nullptr || values.empty()) return values;
  const std::uint32_t holder = plan_.cluster->places[plan_.cluster->replica_place[0]].host;
  const std::string_view own(reinterpret_cast<const char*>(values.data()),
                             values.size() * sizeof(float));
  const std::vector<std::string> all =
      task_->peers->exchange(holder == task_->host ? own : std::string_view());
  CONVOY_CHECK_EQ(all.at(holder).size(), own.size());
  std::memcpy(values.data(), all[holder].data(), own.size());
  return values;
}

void StoredValues::visit_variable(std::size_t variable,
                                  const std::function<void(std::span<const float>)>& visit) const {
  const std::uint64_t first = arena_.range(variable).first;
  std::vector<float> storage;
  std::vector<float> values;
  for (const graph::RowSlab& slab : graph::row_slabs(
           arena_.layout(variable), graph_.variables().at(variable).dimensions, kStretch)) {
    storage.resize(slab.layout.elements);
    float* target = storage.data();
    for (const convoy_range& piece : slab.pieces) {
      read_parameters({first + piece.first, piece.count}, target);
      target += piece.count;
    }
    values.resize(slab.elements());
    graph::unpack(slab.layout, slab.dimensions, storage.data(), values.data());
    visit(values);
  }
}

void StoredValues::read_parameters(const plan::ElementRange& range, float* values) const {
  memory_.read_parameters(range, values);
  if (task_ != nullptr) take_from_holders(range, values);
}

std::vector<float> StoredValues::read_slot(std::uint32_t slot,
                                           const plan::ElementRange& range) const {
  std::vector<float> values = memory_.read_optimizer_state(slot, range);
  if (task_ != nullptr) take_from_holders(range, values.data());
  return values;
}

// Every host gives the part of the range that it holds, a stretch at a time, because control
// messages are small.
void StoredValues::take_from_holders(const plan::ElementRange& range, float* values) const {
  for (std::uint64_t done = 0; done < range.count; done += kStretch) {
    const plan::ElementRange stretch{range.first + done, std::min(kStretch, range.count - done)};
    const std::vector<PlanMemory::HeldRange> pieces = memory_.holders(stretch);
    const auto at = [&](const PlanMemory::HeldRange& piece) {
      return values + (piece.range.first - range.first);
    };
    std::string own;
    for (const PlanMemory::HeldRange& piece : pieces)
      if (piece.host == task_->host)
        own.append(reinterpret_cast<const char*>(at(piece)), piece.range.count * sizeof(float));
    const std::vector<std::string> all = task_->peers->exchange(own);
    std::vector<std::size_t> taken(all.size(), 0);
    for (const PlanMemory::HeldRange& piece : pieces) {
      const std::size_t bytes = piece.range.count * sizeof(float);
      CONVOY_CHECK_LE(taken.at(piece.host) + bytes, all[piece.host].size());
      std::memcpy(at(piece), all[piece.host].data() + taken[piece.host], bytes);
      taken[piece.host] += bytes;
    }
  }
}

std::vector<float> StoredValues::plain(std::size_t variable, std::vector<float> storage) const {
  const graph::GraphVariable& it = graph_.variables().at(variable);
  const convoy_layout& layout = arena_.layout(variable);
  if (graph::is_plain(layout, it.dimensions)) return storage;
  std::vector<float> values(it.elements);
  graph::unpack(layout, it.dimensions, storage.data(), values.data());
  return values;
}

std::vector<float> StoredValues::packed(std::size_t variable, const std::vector<float>& values,
                                        float padding) const {
  const std::vector<std::uint64_t>& dimensions = graph_.variables().at(variable).dimensions;
  const convoy_layout& layout = arena_.layout(variable);
  if (graph::is_plain(layout, dimensions)) return values;
  std::vector<float> storage(layout.elements);
  graph::pack(layout, dimensions, values.data(), storage.data());
  if (padding == 0) return storage;
  // pack() left zeros in the padding.
  std::vector<float> taken(storage.size());
  graph::pack(layout, dimensions, std::vector<float>(values.size(), 1).data(), taken.data());
  for (std::size_t e = 0; e < taken.size(); ++e)
    if (taken[e] == 0) storage[e] = padding;
  return storage;
}

}  // namespace convoy::runtime
