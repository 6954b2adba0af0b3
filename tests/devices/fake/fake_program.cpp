#include "tests/devices/fake/fake_program.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace convoy::testing {

FakeProgram::FakeProgram(std::vector<plan::ElementRange> segments, std::uint64_t arena_elements,
                         const convoy_compilation& what, GradientFunction gradient)
    : segments_(std::move(segments)),
      replica_(what.replica),
      inference_((what.flags & CONVOY_COMPILE_INFERENCE) != 0),
      gradient_(std::move(gradient)),
      forward_read_(arena_elements, std::numeric_limits<float>::quiet_NaN()) {}

void FakeProgram::forward(const convoy_compute& compute) {
  if (compute.segment == 0) ++computes_;
  const plan::ElementRange& range = segments_.at(compute.segment);
  std::copy_n(compute.parameters + range.first, range.count, forward_read_.data() + range.first);
  if (compute.segment + 1 < segments_.size()) return;
  const std::int32_t label = compute.labels == nullptr ? 0 : compute.labels[0];
  *compute.loss = fake_loss(replica_, computes_ - 1, label);
  compute.hits[0] = computes_;
  compute.hits[1] = 2 * computes_;
}

void FakeProgram::backward(const convoy_compute& compute) {
  if (inference_) throw std::invalid_argument("a program for inference has no backward pass");
  if (compute.segment + 1 == segments_.size())
    loss_scale_ = compute.loss_scale == nullptr ? 1.0f : *compute.loss_scale;
  const plan::ElementRange& range = segments_.at(compute.segment);
  const auto segment = static_cast<std::uint32_t>(compute.segment);
  gradient_({replica_,
             computes_ - 1,
             segment,
             range,
             forward_read_,
             {compute.parameters + range.first, range.count}},
            {compute.gradients + range.first, range.count});
  for (std::uint64_t i = 0; i < range.count; ++i) compute.gradients[range.first + i] *= loss_scale_;
}

double fake_loss(std::uint32_t replica, std::uint64_t step, std::int32_t label) {
  return 1000.0 * replica + static_cast<double>(step) + label / 1024.0;
}

}  // namespace convoy::testing
