#include "core/simulate/run/compute_clock.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::simulate {

ComputeClock::ComputeClock(const TaskGraph& graph, const SimulatedMachine& machine)
    : graph_(graph), devices_(machine.places.size()), groups_(graph.groups.size()) {
  for (std::uint32_t p = 0; p < devices_.size(); ++p) {
    const SimulatedPlace& place = machine.places[p];
    if (place.device == kNone) continue;
    devices_[p].kind = &machine.devices.at(place.device);
    devices_[p].board = place.board;
    if (place.board == kNone) continue;
    if (boards_.size() <= place.board) boards_.resize(place.board + 1);
    boards_[place.board].devices.push_back(p);
  }
  for (std::uint32_t group = 0; group < groups_.size(); ++group)
    for (const std::uint32_t place : graph.groups[group]) devices_[place].groups.push_back(group);
}

void ComputeClock::mark(std::uint32_t place) {
  if (devices_[place].dirty) return;
  devices_[place].dirty = true;
  dirty_.push_back(place);
}

void ComputeClock::start(Ticks now, std::uint32_t place, const PassTime& pass) {
  Device& it = devices_[place];
  CONVOY_CHECK(it.pass == nullptr && it.kind != nullptr);
  it.pass = &pass;
  it.done = 0;
  it.since = now;
  it.restarted = true;
  mark(place);
}

void ComputeClock::finish(std::uint32_t place) {
  devices_[place].pass = nullptr;
  ++devices_[place].version;
  mark(place);
}

void ComputeClock::collective(std::uint32_t group, int change) {
  for (const std::uint32_t place : graph_.groups[group]) {
    devices_[place].collectives += static_cast<std::uint32_t>(change);
    mark(place);
  }
}

double ComputeClock::done_at(const Device& device, Ticks now) const {
  return std::min(device.pass->seconds, device.done + device.rate * to_seconds(now - device.since));
}

Ticks ComputeClock::kernel_boundary(Ticks now, std::uint32_t group) const {
  Ticks latest = now;
  for (const std::uint32_t place : graph_.groups[group]) {
    const Device& it = devices_[place];
    if (it.pass == nullptr || !it.kind->waits_for_kernel) continue;
    const double done = done_at(it, now);
    const auto& ends = it.pass->kernel_ends;
    const auto next = std::lower_bound(ends.begin(), ends.end(), done - 1e-9);  // ticks are rounded
    if (next == ends.end()) continue;
    latest = std::max(latest, now + to_ticks((*next - done) / it.rate));
  }
  return latest;
}

double ComputeClock::rate_of(const Device& device) const {
  double rate = 1;
  if (device.board != kNone) {
    const std::vector<double>& rates = device.kind->board_rates;
    const std::size_t busy = std::max<std::size_t>(1, boards_[device.board].busy);
    rate = rates.empty() ? 1 : rates[std::min(busy, rates.size()) - 1];
  }
  return device.collectives == 0 ? rate : rate / (1 + device.kind->collective_tax);
}

// A device that starts again at the time at which it ended was never idle.
void ComputeClock::note_busy(std::uint32_t place) {
  Device& it = devices_[place];
  const bool busy = it.pass != nullptr;
  if (busy == it.was_busy) return;
  it.was_busy = busy;
  const std::uint32_t change = busy ? 1u : ~0u;
  for (const std::uint32_t group : it.groups) {
    groups_[group].busy += change;
    if (groups_[group].dirty) continue;
    groups_[group].dirty = true;
    dirty_groups_.push_back(group);
  }
  if (it.board == kNone) return;
  boards_[it.board].busy += change;
  for (const std::uint32_t neighbour : boards_[it.board].devices) mark(neighbour);
}

void ComputeClock::retime(Ticks now, std::uint32_t place) {
  Device& it = devices_[place];
  it.dirty = false;
  if (it.pass == nullptr) return;
  const double rate = rate_of(it);
  if (rate == it.rate && !it.restarted) return;
  if (!it.restarted) it.done = done_at(it, now);
  it.restarted = false;
  it.rate = rate;
  it.since = now;
  ++it.version;
  ends_.push_back({place, it.version, now + to_ticks((it.pass->seconds - it.done) / rate)});
}

const std::vector<ComputeClock::End>& ComputeClock::settle(Ticks now) {
  ends_.clear();
  flipped_.clear();
  // The list grows while it is walked: boards mark neighbours.
  for (std::size_t i = 0; i < dirty_.size(); ++i) note_busy(dirty_[i]);
  for (const std::uint32_t place : dirty_) retime(now, place);
  dirty_.clear();
  for (const std::uint32_t group : dirty_groups_) {
    Group& it = groups_[group];
    it.dirty = false;
    if (it.was_busy == (it.busy > 0)) continue;
    it.was_busy = it.busy > 0;
    flipped_.push_back(group);
  }
  dirty_groups_.clear();
  return ends_;
}

}  // namespace convoy::simulate
