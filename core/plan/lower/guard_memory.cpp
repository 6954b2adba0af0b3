#include "core/plan/lower/guard_memory.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::plan {
namespace {

constexpr std::uint64_t kScaleElements = 2;  // the scale and its counter

}  // namespace

std::uint32_t GuardMemory::home() const {
  const Cluster& cluster = *plan_.cluster;
  return cluster.places[cluster.replica_place.front()].near_place;
}

std::uint32_t GuardMemory::home_of(const Operation& operation) const {
  const Cluster& cluster = *plan_.cluster;
  const Place& place = cluster.places[operation.place];
  const std::vector<std::uint32_t> engines = cluster.engines_of(operation.place);
  const auto reach = [&](std::uint32_t memory) {
    return std::ranges::all_of(engines,
                               [&](auto engine) { return cluster.access[engine][memory]; });
  };
  if (reach(home())) return home();
  const bool is_host = place.kind == CONVOY_PLACE_HOST;
  const std::uint32_t nearest = is_host ? operation.place : place.near_place;
  if (place.host != cluster.places[home()].host && reach(nearest)) return nearest;
  fail(ExitCode::kUsage,
       "{} cannot address memory of {}, where the loss scale and the gradient's norm are kept; do "
       "without loss scaling, clipping by norm and norms in the report",
       cluster.places[engines.front()].name, cluster.places[home()].name);
}

const PlanSpan& GuardMemory::scale_at(std::uint32_t place) {
  const auto [scale, is_new] = scales_.try_emplace(place);
  if (!is_new) return scale->second;
  const std::uint32_t buffer = add_buffer(CONVOY_BUFFER_PERSISTENT, place, kScaleElements);
  const double values[] = {start_.scale, start_.clean_steps};
  for (std::uint64_t i = 0; i < kScaleElements; ++i) {
    Operation fill;
    fill.kind = OperationKind::kFill;
    fill.place = place;
    fill.scalar = values[i];
    fill.writes = {{buffer, CONVOY_F32, i, 1}};
    plan_.prologue.push_back(std::move(fill));
  }
  return scale->second = {buffer, CONVOY_F32, 0, kScaleElements};
}

std::uint32_t GuardMemory::reports_at(std::uint32_t place) {
  const auto [reports, is_new] = reports_.try_emplace(place);
  if (is_new) reports->second = scratch(place, 0);
  return reports->second;
}

std::uint32_t GuardMemory::scratch(std::uint32_t place, std::uint64_t count) {
  return add_buffer(CONVOY_BUFFER_SCRATCH, place, count);
}

void GuardMemory::copy(const PlanSpan& from, const PlanSpan& to, const Operation& like) {
  Operation copy;
  copy.kind = OperationKind::kCopy;
  copy.source = like.source;
  copy.phase = like.phase;
  copy.place = plan_.place_of(to);
  copy.reads = {from};
  copy.writes = {to};
  plan_.body.push_back(std::move(copy));
}

std::uint32_t GuardMemory::add_buffer(std::uint32_t kind, std::uint32_t place,
                                      std::uint64_t count) {
  plan_.buffers.push_back({kind, place, 0, CONVOY_F32, count, place});
  return static_cast<std::uint32_t>(plan_.buffers.size() - 1);
}

}  // namespace convoy::plan
