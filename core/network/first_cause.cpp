#include "core/network/first_cause.hpp"

#include <algorithm>
#include <tuple>

namespace convoy::network {
namespace {

// The time to wait for a surer cause: several times the time of a message between hosts.
constexpr double kSettleSeconds = 0.1;

}  // namespace

std::optional<Cause> FirstCause::decide(TimePoint now) const {
  if (causes_.empty()) return std::nullopt;
  const auto earliest = std::ranges::min_element(causes_, {}, &Cause::at);
  if (seconds_between(earliest->at, now) < kSettleSeconds) return std::nullopt;
  return *std::ranges::min_element(
      causes_, {}, [](const Cause& cause) { return std::tuple(cause.kind, cause.at); });
}

}  // namespace convoy::network
