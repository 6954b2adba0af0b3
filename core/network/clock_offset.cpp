#include "core/network/clock_offset.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::network {
namespace {

// The clocks of two hosts drift apart by some 20 microseconds per second, so old samples are
// useless.
constexpr std::size_t kSamples = 64;

}  // namespace

void ClockOffset::add(std::int64_t sent, std::int64_t received, std::int64_t replied,
                      std::int64_t arrived) {
  samples_.push_back({((received - sent) + (replied - arrived)) / 2,
                      std::max<std::int64_t>(0, (arrived - sent) - (replied - received))});
  if (samples_.size() > kSamples) samples_.pop_front();
}

const ClockOffset::Sample& ClockOffset::best() const {
  CONVOY_CHECK(!samples_.empty());
  return *std::ranges::min_element(samples_, {}, &Sample::round_trip);
}

std::int64_t ClockOffset::offset() const {
  return best().offset;
}
std::int64_t ClockOffset::error() const {
  return best().round_trip / 2 + 1;
}

}  // namespace convoy::network
