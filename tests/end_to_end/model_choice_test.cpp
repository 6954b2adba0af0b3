// Which plug-in the name of a model means, and how wide its classifier is, follow the data set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

using testing::HasSubstr;

struct Outcome {
  ProgramResult result;
  nlohmann::json record;
};

Outcome run(const std::string& test, std::vector<std::string> more) {
  const std::string record = scratch_folder("model_choice_" + test) + "/run.json";
  std::vector<std::string> arguments{"run",
                                     "--device=cpu",
                                     "--num_devices=1",
                                     "--num_intra_threads=1",
                                     "--batch_size=2",
                                     "--num_batches=1",
                                     "--num_warmup_batches=0",
                                     "--init_learning_rate=0",
                                     "--output_file=" + record};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Outcome outcome{run_convoy(arguments), {}};
  std::ifstream in(record);
  if (in) outcome.record = parse_json(in);
  return outcome;
}

TEST(ModelChoice, NameThatDataSetsShareMeansTheModelOfTheDataSet) {
  const Outcome small = run("cifar10", {"--model=alexnet", "--data_name=cifar10"});
  ASSERT_EQ(small.result.exit_code, 0) << small.result.err;
  EXPECT_EQ(small.record.at("parameters"), 1756619);
  EXPECT_EQ(small.record.at("dataset"), "cifar10");
  EXPECT_THAT(small.result.out, HasSubstr("Dataset:     cifar10 (synthetic)\n"));
  const Outcome large = run("imagenet", {"--model=trivial", "--data_name=imagenet"});
  ASSERT_EQ(large.result.exit_code, 0) << large.result.err;
  EXPECT_EQ(large.record.at("parameters"), 4263877);
  EXPECT_EQ(large.record.at("dataset"), "imagenet");
}

TEST(ModelChoice, ModelOfOneDataSetNeedsNoOther) {
  const Outcome outcome = run("own", {"--model=resnet20"});
  ASSERT_EQ(outcome.result.exit_code, 0) << outcome.result.err;
  EXPECT_EQ(outcome.record.at("parameters"), 269787);
  EXPECT_EQ(outcome.record.at("dataset"), "cifar10");
}

TEST(ModelChoice, FolderDecidesWhenNothingIsNamed) {
  const std::string folder = scratch_folder("model_choice_cifar10_folder");
  const Outcome outcome = run("folder", {"--model=vgg16", "--data_dir=" + folder});
  EXPECT_EQ(outcome.result.exit_code, 2);
  EXPECT_THAT(outcome.result.err, HasSubstr("vgg16 is made for imagenet"));
  EXPECT_THAT(outcome.result.err, HasSubstr("guessed from data_dir"));
}

TEST(ModelChoice, RefusalNamesTheModelsThatFit) {
  const Outcome small = run("fit_small", {"--model=resnet50", "--data_name=cifar10"});
  EXPECT_EQ(small.result.exit_code, 2);
  EXPECT_THAT(small.result.err, HasSubstr("Models for cifar10: alexnet, densenet100_k12, "
                                          "densenet100_k24, densenet40_k12, resnet110, "));
  EXPECT_THAT(small.result.err, testing::Not(HasSubstr("vgg16")));
  const Outcome large = run("fit_large", {"--model=resnet20", "--data_name=imagenet"});
  EXPECT_EQ(large.result.exit_code, 2);
  EXPECT_THAT(
      large.result.err,
      HasSubstr(
          "Models for imagenet: alexnet, convnext_tiny, efficientnet_b0, googlenet, inception3, "));
  EXPECT_THAT(large.result.err, testing::Not(HasSubstr("densenet40_k12")));
}

TEST(RefusedLayer, IsExplainedByEveryVerbThatBuildsTheModel) {
  const std::string path = std::string("--plugin_path=") + CONVOY_REFUSED_MODEL;
  const char* const reason =
      "model refused: layer 2 (convolution): 2 groups do not divide 3 input and 4 output channels";
  for (const char* verb : {"run", "plan", "simulate", "compare"}) {
    std::vector<std::string> arguments{verb, path, "--model=refused", "--device=cpu",
                                       "--num_devices=1"};
    if (std::string(verb) != "compare") arguments.push_back("--variable_update=independent");
    const ProgramResult result = run_convoy(arguments);
    EXPECT_EQ(result.exit_code, 3) << verb;
    EXPECT_THAT(result.out + result.err, HasSubstr(reason)) << verb;
  }
  // In lines of 80 columns.
  const std::string info = run_convoy({"info", path, "refused"}).out;
  EXPECT_THAT(std::regex_replace(info, std::regex("\\s+"), " "), HasSubstr(reason));
}

TEST(ModelInfo, ShowsSizesAndLayers) {
  const ProgramResult result = run_convoy({"info", "vit_b16"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("images     3x224x224 of imagenet, 1001 classes"));
  EXPECT_THAT(result.out, HasSubstr("parameters 86,568,425 in 152 variables"));
  EXPECT_THAT(result.out, HasSubstr("35.12"));
  EXPECT_THAT(result.out, HasSubstr("attention, 12 heads"));
  const nlohmann::json plugin = parse_json(run_convoy({"info", "vit_b16", "--json"}).out);
  EXPECT_EQ(plugin.at(0).at("model").at("image_size"), 224);
  EXPECT_EQ(plugin.at(0).at("model").at("layers").at(2).at("layer"), "class token");
}

}  // namespace
}  // namespace convoy
