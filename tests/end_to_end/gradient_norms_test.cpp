// The gradients' norms that the program records are those of an independent implementation, and
// loss scaling and clipping are seen in the record.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

nlohmann::json read_json(const std::string& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in);
}

// The steps that a run of lenet from the reference fill records.
nlohmann::json recorded_steps(const std::vector<std::string>& more) {
  const std::string record = scratch_folder("gradient_norms") + "/run.json";
  std::vector<std::string> arguments{"run",
                                     "--model=lenet",
                                     "--device=cpu",
                                     "--num_intra_threads=1",
                                     "--initializer=hash",
                                     "--data_name=hash",
                                     "--seed=1",
                                     "--nodropout",
                                     "--num_warmup_batches=0",
                                     "--init_learning_rate=0.001",
                                     "--output_file=" + record};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProgramResult result = run_convoy(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return read_json(record).at("steps");
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

// The loss of a step after one that was skipped is the same, to the last bit.
TEST(GradientNorms, AStepThatOverflowsIsSkippedAndHalvesTheScaleOnce) {
  for (const char* strategy : {"replicated", "parameter_server"}) {
    const nlohmann::json steps = recorded_steps(
        {"--num_batches=6", "--batch_size=4", "--num_devices=2", "--fp16_enable_auto_loss_scale",
         "--fp16_loss_scale=1e38", "--fp16_inc_loss_scale_every_n=1", "--weight_decay=0",
         std::string("--variable_update=") + strategy});
    bool skipped = false;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      const double scale = steps[i].at("loss_scale");
      const double before = steps[i - 1].at("loss_scale");
      if (scale >= before) continue;
      skipped = true;
      EXPECT_EQ(scale, before / 2) << strategy << ", step " << i;
      EXPECT_EQ(steps[i].at("loss"), steps[i - 1].at("loss")) << strategy << ", step " << i;
    }
    EXPECT_TRUE(skipped) << strategy << ": " << steps.dump();
  }
}

}  // namespace
}  // namespace convoy
