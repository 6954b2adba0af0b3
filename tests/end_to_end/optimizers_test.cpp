// The program under every optimizer, with a schedule of its own, against losses of LeNet that an
// independent implementation computed in float64.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/reference_run.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr double kOptimizerTolerance = 1e-5;

json record_of(const json& golden, const json& reference, int devices, const char* loss) {
  const std::string path = scratch_folder("optimizers") + "/run.json";
  const auto number = [](const char* flag, const json& value) {
    return fmt::format("--{}={}", flag, value.dump());
  };
  std::vector<std::string> arguments{
      "run",
      "--model=lenet",
      "--device=cpu",
      "--num_intra_threads=1",
      "--initializer=hash",
      "--data_name=hash",
      "--nodropout",
      "--num_warmup_batches=0",
      "--optimizer=" + reference.at("optimizer").get<std::string>(),
      "--gradient_scale=" + reference.at("gradient_scale").get<std::string>(),
      fmt::format("--loss_type_to_report={}", loss),
      fmt::format("--num_devices={}", devices),
      fmt::format("--batch_size={}", golden.at("batch").get<int>() / devices),
      number("seed", golden.at("seed")),
      number("num_batches", golden.at("steps")),
      number("num_epochs_per_decay", golden.at("epochs_per_decay")),
      number("learning_rate_decay_factor", golden.at("learning_rate_decay_factor")),
      number("init_learning_rate", reference.at("init_learning_rate")),
      number("weight_decay", reference.at("weight_decay")),
      "--output_file=" + path};
  if (!reference.at("gradient_clip").is_null())
    arguments.push_back(number("gradient_clip", reference.at("gradient_clip")));
  const ProgramResult result = run_convoy(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return read_json(path);
}

class Optimizers : public testing::TestWithParam<int> {};

TEST_P(Optimizers, RecordTheReferencesLossesAndExactRates) {
  const int devices = GetParam();
  const char* loss = devices == 1 ? "total_loss" : "base_loss";
  const json golden = read_json(CONVOY_SOURCE_DIR "/tests/golden/lenet_optimizers.json");
  for (const json& reference : golden.at("cases")) {
    if (!reference.at("replicas").is_null() && reference.at("replicas") != devices) continue;
    SCOPED_TRACE(reference.at("optimizer").get<std::string>() + ", clip " +
                 reference.at("gradient_clip").dump() + ", " +
                 reference.at("gradient_scale").get<std::string>());
    const json steps = record_of(golden, reference, devices, loss).at("steps");
    ASSERT_EQ(steps.size(), golden.at("steps").get<std::size_t>());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const double expected = reference.at(loss)[i];
      EXPECT_NEAR(steps[i].at("loss"), expected, kOptimizerTolerance * expected) << "step " << i;
      const double factor = golden.at("learning_rate_factors")[i];
      EXPECT_EQ(steps[i].at("learning_rate").get<double>(),
                reference.at("init_learning_rate").get<double>() * factor)
          << "step " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Optimizers, testing::Values(1, 2));

}  // namespace
}  // namespace convoy
