// The part of Session that moves values of variables between plain order and the plan's memory.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/graph/layout.hpp"
#include "core/graph/row_slab.hpp"
#include "core/runtime/session.hpp"

namespace convoy::runtime {
namespace {

// Elements of a variable that are read or written at once: what is beside the devices' memory stays
// small.
constexpr std::uint64_t kStretch = std::uint64_t{1} << 20;

}  // namespace

double Session::square_sum() const {
  double sum = 0;
  for (const convoy_decay_range& range : decayed_ranges())
    for (std::uint64_t done = 0; done < range.count; done += kStretch) {
      std::vector<float> values(std::min(kStretch, range.count - done));
      read_parameters({range.first + done, values.size()}, values.data());
      for (const float value : values) sum += static_cast<double>(value) * value;
    }
  return sum;
}

void Session::read_parameters(const ElementRange& range, float* values) const {
  memory_->read_parameters(range, values);
  if (task_) take_from_holders(range, values);
}

std::vector<float> Session::read_optimizer_state(std::uint32_t slot,
                                                 const ElementRange& range) const {
  std::vector<float> values = memory_->read_optimizer_state(slot, range);
  if (task_) take_from_holders(range, values.data());
  return values;
}

std::uint64_t Session::updates() const {
  std::uint64_t most = memory_->update_counts().most();
  if (!task_) return most;
  for (const std::string& text : task_->peers->exchange(std::to_string(most)))
    most = std::max<std::uint64_t>(most, std::stoull(text));
  return most;
}

// Every host gives what it holds of the range, a stretch at a time: control messages are small.
void Session::take_from_holders(const ElementRange& range, float* values) const {
  for (std::uint64_t done = 0; done < range.count; done += kStretch) {
    const ElementRange stretch{range.first + done, std::min(kStretch, range.count - done)};
    const std::vector<PlanMemory::HeldRange> pieces = memory_->holders(stretch);
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

std::vector<float> Session::read_statistics() const {
  std::vector<float> values = memory_->read_replica_state(0);
  if (!task_ || values.empty()) return values;
  const std::uint32_t holder = cluster_.places[cluster_.replica_place[0]].host;
  const std::string_view own(reinterpret_cast<const char*>(values.data()),
                             values.size() * sizeof(float));
  const std::vector<std::string> all =
      task_->peers->exchange(holder == task_->host ? own : std::string_view());
  CONVOY_CHECK_EQ(all.at(holder).size(), own.size());
  std::memcpy(values.data(), all[holder].data(), own.size());
  return values;
}

std::vector<float> Session::plain(std::size_t variable, std::vector<float> storage) const {
  const GraphVariable& it = graph_.variables().at(variable);
  const convoy_layout& layout = arena_.layout(variable);
  if (is_plain(layout, it.dimensions)) return storage;
  std::vector<float> values(it.elements);
  unpack(layout, it.dimensions, storage.data(), values.data());
  return values;
}

std::vector<float> Session::read_variable(std::size_t variable) const {
  std::vector<float> values;
  values.reserve(graph_.variables().at(variable).elements);
  visit_variable(variable, [&](std::span<const float> rows) {
    values.insert(values.end(), rows.begin(), rows.end());
  });
  return values;
}

void Session::visit_variable(std::size_t variable,
                             const std::function<void(std::span<const float>)>& visit) const {
  const std::uint64_t first = arena_.range(variable).first;
  std::vector<float> storage;
  std::vector<float> values;
  for (const RowSlab& slab :
       row_slabs(arena_.layout(variable), graph_.variables().at(variable).dimensions, kStretch)) {
    storage.resize(slab.layout.elements);
    float* target = storage.data();
    for (const convoy_range& piece : slab.pieces) {
      read_parameters({first + piece.first, piece.count}, target);
      target += piece.count;
    }
    values.resize(slab.elements());
    unpack(slab.layout, slab.dimensions, storage.data(), values.data());
    visit(values);
  }
}

void Session::write_variable(std::size_t variable, std::span<const float> values) {
  const std::uint64_t first = arena_.range(variable).first;
  const float* next = values.data();
  std::vector<float> storage;
  for (const RowSlab& slab :
       row_slabs(arena_.layout(variable), graph_.variables().at(variable).dimensions, kStretch)) {
    storage.resize(slab.layout.elements);
    pack(slab.layout, slab.dimensions, next, storage.data());
    next += slab.elements();
    std::span<const float> rest = storage;
    for (const convoy_range& piece : slab.pieces) {
      memory_->write_parameters(first + piece.first, rest.first(piece.count));
      rest = rest.subspan(piece.count);
    }
  }
}

ModelValues Session::read_values() const {
  ModelValues values{{}, read_statistics()};
  for (std::size_t i = 0; i < graph_.variables().size(); ++i)
    values.variables.push_back(read_variable(i));
  return values;
}

void Session::write_values(const ModelValues& values) {
  CONVOY_CHECK(forward_only_);
  require_values_of(graph_, values);
  for (std::size_t i = 0; i < values.variables.size(); ++i) write_variable(i, values.variables[i]);
  if (graph_.state_elements() > 0) memory_->write_replica_state(values.state);
}

std::vector<float> Session::packed(std::size_t variable, const std::vector<float>& values,
                                   float padding) const {
  const std::vector<std::uint64_t>& dimensions = graph_.variables().at(variable).dimensions;
  const convoy_layout& layout = arena_.layout(variable);
  if (is_plain(layout, dimensions)) return values;
  std::vector<float> storage(layout.elements);
  pack(layout, dimensions, values.data(), storage.data());
  if (padding == 0) return storage;
  // pack() left zeros where no element lies.
  std::vector<float> taken(storage.size());
  pack(layout, dimensions, std::vector<float>(values.size(), 1).data(), taken.data());
  for (std::size_t e = 0; e < taken.size(); ++e)
    if (taken[e] == 0) storage[e] = padding;
  return storage;
}

}  // namespace convoy::runtime
