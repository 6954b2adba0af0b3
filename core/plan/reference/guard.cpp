#include "core/plan/reference/guard.hpp"

#include <algorithm>
#include <cmath>

#include "core/plan/reference/partial_sums.hpp"

namespace convoy::plan {
namespace {

double stretch_sum(const UpdateConstants& c, const float* gradient, const float* parameters,
                   std::uint64_t count) {
  return lane_sum(count, [&](std::uint64_t i) {
    const float mean = gradient[i] / c.contributions * c.inverse_loss_scale;
    const auto value = static_cast<double>(
        parameters == nullptr ? mean : c.gradient_scale * (mean + c.weight_decay * parameters[i]));
    return value * value;
  });
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
  return chunk_sum(gradient_sum.size(), [&](std::uint64_t begin, std::uint64_t end) {
    double sum = 0;
    for (std::uint64_t first = begin; first < end;) {
      UpdateConstants here = constants;
      const bool decays = decayed(first);
      std::uint64_t next = first + 1;
      while (next < end && decayed(next) == decays) ++next;
      if (!decays) here.weight_decay = 0;
      sum += stretch_sum(here, gradient_sum.data() + first,
                         parameters.empty() ? nullptr : parameters.data() + first, next - first);
      first = next;
    }
    return sum;
  });
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

}  // namespace convoy::plan
