// The gradients' norms that the program records are those of an independent implementation, and
// loss scaling and clipping are seen in the record.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/reference_run.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

nlohmann::json recorded_steps(std::vector<std::string> more) {
  more.push_back("--init_learning_rate=0.001");
  return reference_steps(more);
}

// Weight decay, which the run has, is not part of what is reported.
TEST(GradientNorms, OfEveryVariableAreTheReferenceOnesOnOneDeviceAndOnTwo) {
  const nlohmann::json golden = read_json(CONVOY_SOURCE_DIR "/tests/golden/lenet.json");
  for (const std::uint32_t devices : {1u, 2u})
    for (const char* strategy : {"replicated", "parameter_server"}) {
      const nlohmann::json step = recorded_steps({"--num_batches=1", "--report_gradient_norms",
                                                  "--batch_size=" + std::to_string(2 / devices),
                                                  "--num_devices=" + std::to_string(devices),
                                                  std::string("--variable_update=") + strategy})
                                      .at(0);
      double square_sum = 0;
      for (const nlohmann::json& variable : golden.at("variables")) {
        const double expected = variable.at("g_l2");
        const double actual = step.at("gradient_norms").at(variable.at("name"));
        EXPECT_NEAR(actual, expected, 1e-5 * expected)
            << variable.at("name") << ", " << strategy << " on " << devices;
        square_sum += actual * actual;
      }
      EXPECT_NEAR(step.at("gradient_norm"), std::sqrt(square_sum), 1e-9 * std::sqrt(square_sum));
      EXPECT_FALSE(step.contains("loss_scale"));
    }
}

TEST(GradientNorms, WithoutAFileAreSaidToGoNowhere) {
  const ProgramResult result =
      run_convoy({"run", "--model=lenet", "--device=cpu", "--num_devices=1", "--batch_size=1",
                  "--num_batches=1", "--num_warmup_batches=0", "--variable_update=replicated",
                  "--report_gradient_norms"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("--report_gradient_norms has no effect"), std::string::npos)
      << result.err;
}

TEST(GradientNorms, AreSaidToBeNoneWhereNothingIsTrained) {
  const ProgramResult result =
      run_convoy({"run", "--model=lenet", "--device=cpu", "--num_devices=1", "--batch_size=1",
                  "--num_batches=1", "--num_warmup_batches=0", "--variable_update=replicated",
                  "--forward_only", "--report_gradient_norms",
                  "--output_file=" + scratch_folder("norms_of_nothing") + "/run.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("--report_gradient_norms has no effect with --forward_only"),
            std::string::npos)
      << result.err;
}

// At first the sums of two devices do not fit 32 bits; then training goes on as if nothing had
// been.
TEST(GradientNorms, StepsThatOverflowAreSkippedAndEachHalvesTheScaleOnce) {
  const nlohmann::json golden = read_json(CONVOY_SOURCE_DIR "/tests/golden/lenet.json");
  const std::vector<double> shares{1, 2, 4, 8, 8, 4};  // doubles after two clean steps
  const std::vector<std::size_t> updates{0, 0, 0, 0, 1, 2};
  for (const char* strategy : {"replicated", "parameter_server"}) {
    const nlohmann::json steps = recorded_steps(
        {"--num_batches=6", "--batch_size=1", "--num_devices=2", "--fp16_enable_auto_loss_scale",
         "--fp16_loss_scale=3e38", "--fp16_inc_loss_scale_every_n=1", "--weight_decay=0",
         std::string("--variable_update=") + strategy});
    const double first = steps.at(0).at("loss_scale");
    for (std::size_t i = 0; i < shares.size(); ++i) {
      EXPECT_EQ(steps.at(i).at("loss_scale"), first / shares[i]) << strategy << ", step " << i;
      const double expected = golden.at("sgd").at("loss").at(updates[i]);
      EXPECT_NEAR(steps.at(i).at("loss"), expected, 1e-5 * expected) << strategy << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace convoy
