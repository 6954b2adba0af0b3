#include "plugins/devices/cpu/operations/update_constants.hpp"

#include <cmath>

namespace convoy::cpu {
namespace {

float last_read(const convoy_submission& operation) {
  return *static_cast<const float*>(operation.reads[operation.read_count - 1].data);
}

// The gradient is divided by the loss scale, and a norm above its limit shrinks it. The read of the
// scale comes before that of the norm, which is last.
void guard(const convoy_submission& operation, ApplyConstants& constants) {
  const bool normed = (operation.flags & CONVOY_OP_NORMED) != 0;
  if ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0) {
    const convoy_region& scale = operation.reads[operation.read_count - (normed ? 2 : 1)];
    constants.inverse_loss_scale = 1.0f / *static_cast<const float*>(scale.data);
  }
  if (!normed) return;
  const auto norm = static_cast<double>(last_read(operation));
  if (operation.scalar > 0 && norm > operation.scalar) {
    constants.gradient_scale *= static_cast<float>(operation.scalar / norm);
  }
}

}  // namespace

ApplyConstants update_constants(const convoy_submission& operation) {
  ApplyConstants constants{rule_constants(operation), 1.0f};
  guard(operation, constants);
  return constants;
}

bool is_skipped(const convoy_submission& operation) {
  constexpr std::uint32_t kBoth = CONVOY_OP_NORMED | CONVOY_OP_SKIP_NON_FINITE;
  return (operation.flags & kBoth) == kBoth && !std::isfinite(last_read(operation));
}

}  // namespace convoy::cpu
