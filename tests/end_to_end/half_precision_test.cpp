// Training in the devices' 16-bit type, as a user starts it, next to training in 32 bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

constexpr int kSteps = 50;

nlohmann::json train_lenet(const std::string& name, const std::vector<std::string>& more,
                           const std::string& max_cpu_isa = "") {
  const std::string record = scratch_folder("half_precision") + "/" + name + ".json";
  std::vector<std::string> arguments{"run",
                                     "--model=lenet",
                                     "--device=cpu",
                                     "--num_devices=2",
                                     "--num_intra_threads=1",
                                     "--variable_update=replicated",
                                     "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet",
                                     "--batch_size=4",
                                     "--num_warmup_batches=0",
                                     "--num_batches=" + std::to_string(kSteps),
                                     "--init_learning_rate=0.005",
                                     "--loss_type_to_report=base_loss",
                                     "--output_file=" + record};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProgramResult result = run_convoy(arguments, {.max_cpu_isa = max_cpu_isa});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::ifstream in(record);
  nlohmann::json json = parse_json(in);
  json["standard_error"] = result.err;
  return json;
}

void expect_nearly_the_losses(const nlohmann::json& exact, const nlohmann::json& rounded) {
  EXPECT_EQ(exact.at("compute_dtype"), "f32");
  EXPECT_EQ(rounded.at("compute_dtype"), "bf16");
  ASSERT_EQ(exact.at("steps").size(), std::size_t{kSteps});
  ASSERT_EQ(rounded.at("steps").size(), std::size_t{kSteps});
  int different = 0;
  for (std::size_t i = 0; i < std::size_t{kSteps}; ++i) {
    const double expected = exact.at("steps")[i].at("loss");
    const double actual = rounded.at("steps")[i].at("loss");
    EXPECT_NEAR(actual, expected, 0.02 * expected) << "step " << i;
    if (actual != expected) ++different;
  }
  EXPECT_GT(different, kSteps / 2) << "the losses of 16 bits are those of 32 bits";
  const double first = exact.at("steps").front().at("loss");
  const double last = exact.at("steps").back().at("loss");
  EXPECT_LT(last, 0.7 * first) << "it learns nothing";
}

// By the processor's own instructions where it has them, and where they are emulated.
TEST(HalfPrecision, StaysWithinTwoPercentOfThirtyTwoBitsOnTheSampleData) {
  const nlohmann::json exact = train_lenet("f32", {});
  expect_nearly_the_losses(exact, train_lenet("bf16", {"--use_fp16"}));
  const nlohmann::json emulated = train_lenet("emulated", {"--use_fp16"}, "AVX512_CORE");
  EXPECT_THAT(emulated.at("standard_error").get<std::string>(),
              testing::HasSubstr("emulated, same numbers, not faster"));
  expect_nearly_the_losses(exact, emulated);
}

TEST(HalfPrecision, LearnsTheSampleDataAndRepeatsItsBits) {
  const std::vector<std::string> run{"run",
                                     "--model=lenet",
                                     "--device=cpu",
                                     "--num_devices=2",
                                     "--batch_size=32",
                                     "--num_epochs=4",
                                     "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet",
                                     "--optimizer=momentum",
                                     "--init_learning_rate=0.01",
                                     "--variable_update=replicated",
                                     "--use_fp16",
                                     "--deterministic",
                                     "--num_eval_epochs=1",
                                     "--eval_during_training_every_n_epochs=4"};
  std::string hash;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const std::string record =
        scratch_folder("half_precision") + "/learnt" + std::to_string(repeat) + ".json";
    std::vector<std::string> arguments = run;
    arguments.push_back("--output_file=" + record);
    const ProgramResult result = run_convoy(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::size_t place = result.out.rfind("Accuracy @ 1 = ");
    ASSERT_NE(place, std::string::npos) << result.out;
    EXPECT_GE(std::stod(result.out.substr(place + 15)), 0.95);
    std::ifstream in(record);
    const std::string own = parse_json(in).at("parameter_hash");
    EXPECT_TRUE(hash.empty() || own == hash) << own << " is not " << hash;
    hash = own;
  }
}

}  // namespace
}  // namespace convoy
