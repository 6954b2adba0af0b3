#include <gtest/gtest.h>

#include "tests/devices/device_under_test.hpp"
#include "tests/train/golden_optimizers.hpp"

namespace convoy::test {
namespace {

using testing::GoldenOptimizers;

constexpr double kTolerance = 2e-6;  // float32
// Behind the 12 golden elements come copies of them, so that vectors and their remainders run.
constexpr std::size_t kCopies = 5;

std::vector<float> copies(const std::vector<double>& values) {
  std::vector<float> all;
  for (std::size_t copy = 0; copy < kCopies; ++copy)
    for (const double value : values) all.push_back(static_cast<float>(value));
  return all;
}

// The update of one case with all that it points to.
struct GoldenUpdate {
  GoldenUpdate(const GoldenOptimizers& golden, std::size_t index)
      : optimizer(golden.optimizer(index)), parameters(copies(golden.initial())) {
    for (std::uint32_t slot = 0; slot < optimizer.state_slots; ++slot)
      state[slot].assign(parameters.size(),
                         static_cast<float>(train::state_initial(
                             static_cast<convoy_optimizer_kind>(optimizer.kind), slot)));
    for (std::size_t copy = 0; copy < kCopies; ++copy)
      for (const convoy_decay_range& range : golden.decayed())
        decayed.push_back({range.first + copy * golden.initial().size(), range.count});
    update.struct_size = sizeof update;
    update.optimizer = &optimizer;
    update.contributions = golden.replicas();
    for (std::uint32_t slot = 0; slot < 2; ++slot) update.state[slot] = state[slot].data();
    update.decayed = decayed.data();
    update.decayed_count = decayed.size();
  }
  GoldenUpdate(const GoldenUpdate&) = delete;
  GoldenUpdate& operator=(const GoldenUpdate&) = delete;

  void apply(DeviceUnderTest& device, std::vector<float> gradient, double rate,
             std::uint64_t step) {
    const convoy_region read = region(gradient);
    const convoy_region write = region(parameters);
    convoy_submission submission = operation(CONVOY_OP_APPLY, {&read, 1}, {&write, 1});
    const convoy_update* const updates[] = {&update};
    submission.updates = updates;
    submission.update_count = 1;
    submission.learning_rate = rate;
    submission.step = step;
    device.run(submission);
  }
  std::vector<float> copy(std::size_t index, std::size_t elements) const {
    const auto first = parameters.begin() + static_cast<std::ptrdiff_t>(index * elements);
    return {first, first + static_cast<std::ptrdiff_t>(elements)};
  }

  convoy_optimizer optimizer;
  std::vector<float> parameters;
  std::vector<float> state[2];
  std::vector<convoy_decay_range> decayed;
  convoy_update update{};
};

TEST(GoldenOptimizer, TheDeviceFollowsTensorFlowsFormulas) {
  const GoldenOptimizers golden;
  DeviceUnderTest device;
  for (std::size_t index = 0; index < golden.cases(); ++index) {
    GoldenUpdate update(golden, index);
    for (std::size_t step = 0; step < golden.steps(); ++step) {
      update.apply(device, copies(golden.gradient_sum(step)), golden.learning_rate(step), step);
      for (std::size_t copy = 0; copy < kCopies; ++copy)
        golden.expect_parameters(index, step, update.copy(copy, golden.initial().size()),
                                 kTolerance);
    }
  }
}

}  // namespace
}  // namespace convoy::test
