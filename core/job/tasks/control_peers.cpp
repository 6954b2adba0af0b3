#include "core/job/tasks/control_peers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::job {
namespace {

constexpr const char* kLastDrain = "the end of asynchronous training";
constexpr const char* kPause = "a pause of asynchronous training";

}  // namespace

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

// Heartbeats carry the number of steps.
void ControlPeers::tell_steps(std::int64_t steps) {
  control_.set_position(steps, -1);
}

std::optional<std::int64_t> ControlPeers::steps_of_all() {
  const std::vector<network::Position> positions = control_.positions();
  if (positions.empty()) return std::nullopt;
  std::int64_t steps = 0;
  const std::size_t workers = std::min<std::size_t>(positions.size(), workers_);
  for (std::size_t rank = 0; rank < workers; ++rank) steps += positions[rank].step;
  return steps;
}

// The reason distinguishes the two kinds.
void ControlPeers::request_drain(bool is_last) {
  control_.request_stop(is_last ? kLastDrain : kPause);
}

std::optional<bool> ControlPeers::agreed_drain() {
  const std::optional<network::AgreedStop> drain = control_.agreed_stop();
  return drain ? std::optional(drain->reason == kLastDrain) : std::nullopt;
}

void ControlPeers::finish_drain() {
  const std::optional<network::AgreedStop> drain = control_.agreed_stop();
  CONVOY_CHECK(drain.has_value());
  control_.finish_stop(drain->stop);
}

}  // namespace convoy::job
