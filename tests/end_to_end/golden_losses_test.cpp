// The losses that the program records from the reference fill are the ones that an independent
// implementation computed.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/reference_run.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

std::vector<double> recorded_losses(std::vector<std::string> more) {
  more.push_back("--num_batches=4");
  std::vector<double> losses;
  for (const nlohmann::json& step : reference_steps(more))
    losses.push_back(step.at("loss").get<double>());
  return losses;
}

void expect_losses(const std::vector<double>& actual, const nlohmann::json& reference,
                   double tolerance) {
  ASSERT_EQ(actual.size(), reference.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double expected = reference[i];
    EXPECT_LE(std::fabs(actual[i] - expected), tolerance * std::fabs(expected))
        << "step " << i << ": " << actual[i] << ", reference " << expected;
  }
}

const nlohmann::json& lenet() {
  static const nlohmann::json golden = read_json(CONVOY_SOURCE_DIR "/tests/golden/lenet.json");
  return golden;
}

// Float32 arithmetic deviates by 2.5e-7 in the reference itself; printing three decimals would not
// pass.
constexpr double kTolerance = 2e-6;

TEST(GoldenLosses, PlainStepsOnOneDevice) {
  expect_losses(recorded_losses({"--num_devices=1", "--batch_size=2", "--init_learning_rate=1e-3",
                                 "--optimizer=sgd", "--weight_decay=0"}),
                lenet().at("sgd").at("loss"), kTolerance);
}

TEST(GoldenLosses, MomentumWithWeightDecayOnTwoDevices) {
  for (const char* strategy : {"replicated", "parameter_server"})
    expect_losses(recorded_losses({"--num_devices=2", "--batch_size=1", "--optimizer=momentum",
                                   "--init_learning_rate=5e-4", "--weight_decay=4e-5",
                                   std::string("--variable_update=") + strategy}),
                  lenet().at("momentum").at("total_loss"), kTolerance);
}

}  // namespace
}  // namespace convoy
