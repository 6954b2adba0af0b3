#include "core/runtime/hang_watch.hpp"

#include <algorithm>

namespace convoy::runtime {

void HangWatch::look(TimePoint now, std::uint64_t progress) {
  clock_ += std::min<std::chrono::steady_clock::duration>(now - last_look_, kLongestInterval);
  last_look_ = now;
  if (progress != progress_) last_move_ = clock_;
  progress_ = progress;
}

double HangWatch::may_run(std::size_t lane, std::uint64_t value) {
  Seen& seen = seen_[lane];
  if (seen.value != value) seen = {value, clock_};
  const auto begin = std::max(seen.since, last_move_);
  return std::chrono::duration<double>(clock_ - begin).count();
}

}  // namespace convoy::runtime
