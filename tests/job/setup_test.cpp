#include "core/job/setup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/checkpoint/safetensors_writer.hpp"
#include "tests/environment.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::job::setup_test {
namespace {

using ::testing::HasSubstr;

class SetupTest : public ::testing::Test {
 protected:
  std::string refusal() const {
    return thrown_text(
        [this] { set_up_run(options_, plugin::installed_plugins(CONVOY_OWN_PLUGINS), {}); });
  }

  // Nothing where no strategy was chosen by simulation.
  bool remembers_a_choice() const { return !std::filesystem::is_empty(cache_); }

  static JobOptions options_of_auto() {
    JobOptions options;
    options.model = "lenet";
    options.device = "cpu";
    options.num_devices = 2;
    options.batch_size = 2;
    options.data_name = "imagenet";
    return options;
  }

  // A file of another model.
  std::string weights_of_others() const {
    const std::filesystem::path path = data_ / "others.safetensors";
    checkpoint::write_safetensors(path, {}, {checkpoint::make_tensor("one", {1}, {{1.0f}})});
    return path;
  }

  const std::filesystem::path cache_ = scratch_folder("setup_cache");
  const std::filesystem::path data_ = scratch_folder("setup_data");
  const Environment environment_{{{"CONVOY_CACHE_DIR", cache_.string()}}};
  JobOptions options_ = options_of_auto();
};

TEST_F(SetupTest, ChoosesAStrategyOnlyForDataThatAreThere) {
  options_.data_dir = data_ / "nothing";
  EXPECT_THAT(refusal(), HasSubstr("cannot list the data folder"));
  options_.data_dir = data_;
  EXPECT_THAT(refusal(), HasSubstr("no files train-*-of-*"));
  options_.evaluation.evaluate_only = true;
  EXPECT_THAT(refusal(), HasSubstr("no files validation-*-of-*"));
  EXPECT_FALSE(remembers_a_choice());
  options_.evaluation.evaluate_only = false;
  std::ofstream(data_ / "train-00000-of-00001") << "no record";
  EXPECT_EQ(refusal(), "") << "what is in the files is seen when they are read";
  EXPECT_TRUE(remembers_a_choice());
}

TEST_F(SetupTest, ChoosesAStrategyOnlyForWeightsThatCanBeUsed) {
  options_.checkpoints.init_weights = data_ / "nothing";
  EXPECT_THAT(refusal(), HasSubstr("cannot be read"));
  options_.checkpoints.init_weights = weights_of_others();
  EXPECT_THAT(refusal(), HasSubstr("does not fit model lenet"));
  options_.checkpoints.weights_map = "nothing";
  EXPECT_THAT(refusal(), HasSubstr("nothing.json"));
  const std::filesystem::path map = data_ / "map.json";
  std::ofstream(map) << R"({"tensors": {"conv1/kernel": {"from": "one"}}})";
  options_.checkpoints.weights_map = map;
  EXPECT_THAT(refusal(), HasSubstr("does not fit model lenet by this --weights_map"));
  EXPECT_FALSE(remembers_a_choice());
}

TEST_F(SetupTest, ChoosesAStrategyOnlyWhereCheckpointsCanBeSaved) {
  const std::filesystem::path file = data_ / "file";
  std::ofstream(file) << "no folder";
  options_.checkpoints.train_dir = file;
  EXPECT_THAT(refusal(), HasSubstr("checkpoints of a training need a folder"));
  options_.checkpoints.train_dir = file / "below";
  EXPECT_THAT(refusal(), HasSubstr("cannot create the folder"));
  options_.checkpoints.train_dir = data_;
  std::filesystem::rename(weights_of_others(), data_ / "model-1.safetensors");
  EXPECT_THAT(refusal(), HasSubstr("is no checkpoint of convoy"));
  EXPECT_FALSE(remembers_a_choice());
}

// What is predicted beside a run would be left out without a word.
TEST_F(SetupTest, RefusesACalibrationThatCannotBeUsed) {
  for (const char* strategy : {"auto", "replicated"}) {
    options_.variable_update = strategy;
    options_.machine.calibration_file = data_ / "nothing";
    EXPECT_THAT(refusal(), HasSubstr("there is no such file; convoy calibrate")) << strategy;
    std::ofstream(data_ / "file") << "no calibration";
    options_.machine.calibration_file = data_ / "file";
    EXPECT_THAT(refusal(), HasSubstr("not JSON")) << strategy;
  }
  EXPECT_FALSE(remembers_a_choice());
}

TEST_F(SetupTest, ChoosesAStrategyOnlyForFilesThatCanBeWritten) {
  options_.trace_file = data_ / "missing/trace.json";
  EXPECT_THAT(refusal(), HasSubstr("is not a folder; create it first"));
  options_.trace_file.clear();
  options_.report_file = data_ / "page.txt";
  EXPECT_THAT(refusal(), HasSubstr("its name ends in .html"));
  options_.report_file.clear();
  options_.dump_file = data_ / "batch.safetensors";
  EXPECT_THAT(refusal(), HasSubstr("--input_only, which was not given"));
  EXPECT_FALSE(remembers_a_choice());
}

}  // namespace
}  // namespace convoy::job::setup_test
