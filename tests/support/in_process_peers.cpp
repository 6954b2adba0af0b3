#include "tests/support/in_process_peers.hpp"

#include <numeric>

#include "core/base/error.hpp"

namespace convoy::testing {

std::uint64_t InProcessPeers::begin(std::uint32_t task, std::string_view own) {
  const std::lock_guard lock(mutex_);
  given_[task] = own;
  const std::uint64_t round = round_;
  if (++count_ == given_.size()) {
    complete_ = given_;
    count_ = 0;
    ++round_;
    changed_.notify_all();
  }
  return round;
}

std::optional<std::vector<std::string>> InProcessPeers::result(std::uint64_t round) {
  const std::lock_guard lock(mutex_);
  if (!lost_.empty()) fail(ExitCode::kTimeout, "{}", lost_);
  return round_ > round ? std::optional(complete_) : std::nullopt;
}

std::vector<std::string> InProcessPeers::exchange(std::uint32_t task, std::string_view own) {
  const std::uint64_t round = begin(task, own);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return round_ > round || !lost_.empty(); });
  if (!lost_.empty()) fail(ExitCode::kTimeout, "{}", lost_);
  return complete_;
}

void InProcessPeers::lose(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  lost_ = reason;
  changed_.notify_all();
}

void InProcessPeers::tell(std::uint32_t task, std::int64_t steps) {
  const std::lock_guard lock(mutex_);
  told_[task] = steps;
}

std::int64_t InProcessPeers::steps() const {
  const std::lock_guard lock(mutex_);
  return std::accumulate(told_.begin(), told_.end(), std::int64_t{0});
}

// A caller that asks for the current drain gets that one.
void InProcessPeers::drain(std::size_t finished, bool is_last) {
  const std::lock_guard lock(mutex_);
  if (drains_.size() == finished || drains_.back() != is_last) drains_.push_back(is_last);
}

std::optional<bool> InProcessPeers::drained(std::size_t finished) const {
  const std::lock_guard lock(mutex_);
  if (!lost_.empty()) fail(ExitCode::kTimeout, "{}", lost_);
  return finished < drains_.size() ? std::optional<bool>(drains_[finished]) : std::nullopt;
}

std::uint64_t InProcessPeers::rounds() const {
  const std::lock_guard lock(mutex_);
  return round_;
}

}  // namespace convoy::testing
