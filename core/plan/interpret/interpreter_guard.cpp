#include "core/plan/interpret/interpreter_guard.hpp"

#include <algorithm>
#include <cmath>

namespace convoy {
namespace {

constexpr std::uint64_t kChunk = 65536;
constexpr std::uint64_t kLanes = 8;

double stretch_sum(const UpdateConstants& c, const float* gradient, const float* parameters,
                   std::uint64_t count) {
  double lanes[kLanes] = {};
  double total = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const float mean = gradient[i] / c.contributions * c.inverse_loss_scale;
    const auto value = static_cast<double>(
        parameters == nullptr ? mean : c.gradient_scale * (mean + c.weight_decay * parameters[i]));
    (i < count / kLanes * kLanes ? lanes[i % kLanes] : total) += value * value;
  }
  for (const double lane : lanes) total += lane;
  return total;
}

}  // namespace

void include_loss_scale(UpdateConstants& constants, float scale) {
  constants.inverse_loss_scale = 1.0f / scale;
}

void include_norm(UpdateConstants& constants, float norm, double limit) {
  const auto length = static_cast<double>(norm);
  if (limit > 0 && length > limit) constants.gradient_scale *= static_cast<float>(limit / length);
}

double gradient_square_sum(const UpdateConstants& constants, std::span<const float> gradient_sum,
                           std::span<const float> parameters,
                           const std::function<bool(std::uint64_t)>& decayed) {
  double total = 0;
  const std::uint64_t count = gradient_sum.size();
  for (std::uint64_t chunk = 0; chunk < count; chunk += kChunk) {
    const std::uint64_t end = std::min(chunk + kChunk, count);
    double sum = 0;
    for (std::uint64_t first = chunk; first < end;) {
      UpdateConstants here = constants;
      const bool decays = decayed(first);
      std::uint64_t next = first + 1;
      while (next < end && decayed(next) == decays) ++next;
      if (!decays) here.weight_decay = 0;
      sum += stretch_sum(here, gradient_sum.data() + first,
                         parameters.empty() ? nullptr : parameters.data() + first, next - first);
      first = next;
    }
    total += sum;
  }
  return total;
}

void adapt_loss_scale(float* state, std::span<const float> norms, std::uint64_t increase_every) {
  const bool finite =
      std::all_of(norms.begin(), norms.end(), [](float norm) { return std::isfinite(norm); });
  const bool clean_for_long = static_cast<double>(state[1]) >= static_cast<double>(increase_every);
  if (finite && !clean_for_long) {
    state[1] += 1;
    return;
  }
  const float adapted = finite ? 2 * state[0] : state[0] / 2;
  if (std::isnormal(adapted)) state[0] = adapted;
  state[1] = 0;
}

}  // namespace convoy
