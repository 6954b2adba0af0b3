#include "core/job/setup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/environment.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::job::setup_test {
namespace {

using ::testing::HasSubstr;

class SetupTest : public ::testing::Test {
 protected:
  std::string refusal() const {
    return thrown_text([this] { set_up_run(options_, installed_plugins(CONVOY_OWN_PLUGINS), {}); });
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

}  // namespace
}  // namespace convoy::job::setup_test
