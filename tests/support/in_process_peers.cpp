#include "tests/support/in_process_peers.hpp"

#include "core/base/error.hpp"

namespace convoy::testing {

std::vector<std::string> InProcessPeers::exchange(std::uint32_t task, std::string_view own) {
  std::unique_lock lock(mutex_);
  given_[task] = own;
  const std::uint64_t round = round_;
  if (++count_ == given_.size()) {
    complete_ = given_;
    count_ = 0;
    ++round_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return round_ > round || !lost_.empty(); });
  if (!lost_.empty()) fail(ExitCode::kTimeout, "{}", lost_);
  return complete_;
}

void InProcessPeers::lose(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  lost_ = reason;
  changed_.notify_all();
}

std::uint64_t InProcessPeers::rounds() const {
  const std::lock_guard lock(mutex_);
  return round_;
}

}  // namespace convoy::testing
