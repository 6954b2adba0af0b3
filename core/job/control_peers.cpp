#include "core/job/control_peers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::job {

std::string ControlPeers::next_round() {
  return fmt::format("session {}", round_++);
}

std::vector<std::string> ControlPeers::exchange(std::string_view own) {
  return control_.exchange(next_round(), std::string(own));
}

void ControlPeers::begin_exchange(std::string_view own) {
  begun_ = next_round();
  control_.begin_exchange(begun_, std::string(own));
}

std::optional<std::vector<std::string>> ControlPeers::exchanged() {
  return control_.exchanged(begun_);
}

// Heartbeats carry it.
void ControlPeers::tell_steps(std::int64_t steps) {
  control_.set_position(steps, -1);
}

std::optional<std::int64_t> ControlPeers::steps_of_all() {
  const std::vector<network::MemberState> members = control_.members();
  if (members.empty()) return std::nullopt;
  std::int64_t steps = 0;
  const std::size_t workers = std::min<std::size_t>(members.size(), workers_);
  for (std::size_t rank = 0; rank < workers; ++rank) steps += members[rank].position.step;
  return steps;
}

void ControlPeers::request_end() {
  control_.request_stop(network::StopKind::kDrain, 0, "the end of asynchronous training");
}

bool ControlPeers::end_is_agreed() {
  return control_.drain_is_agreed();
}

}  // namespace convoy::job
