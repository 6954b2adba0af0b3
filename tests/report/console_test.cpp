#include "core/report/console.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace convoy::report {
namespace {

ConsoleHeader example_header() {
  ConsoleHeader header;
  header.version = "0.1.0";
  header.model = "resnet50";
  header.dataset = "imagenet";
  header.global_batch = 128;
  header.batch_per_device = 64;
  header.num_batches = 100;
  header.num_epochs = 128 * 100 / 1281167.0;
  header.devices = {"/gpu:0", "/gpu:1"};
  header.data_format = "NCHW";
  header.optimizer = "sgd";
  header.strategy = "replicated";
  header.strategy_details = {{"AllReduce", "nccl"}};
  return header;
}

TEST(Console, PrintsTheLinesOfACompleteRunByteForByte) {
  std::ostringstream out;
  Console console(out, "total_loss", false);
  console.header(example_header());
  console.enters(RunPhase::kGeneratingModel);
  console.enters(RunPhase::kInitializing);
  console.enters(RunPhase::kWarmingUp);
  console.enters(RunPhase::kWarmedUp);
  console.columns();
  console.step(1, {411.24, 0, 0}, 7.97249);
  console.step(10, {409.8, 0.9, 1.7}, 8.0311);
  console.total(409.3149);
  EXPECT_EQ(out.str(),
            "convoy:      0.1.0\n"
            "Model:       resnet50\n"
            "Dataset:     imagenet (synthetic)\n"
            "Mode:        training\n"
            "SingleSess:  False\n"
            "Batch size:  128 global\n"
            "             64 per device\n"
            "Num batches: 100\n"
            "Num epochs:  0.01\n"
            "Devices:     ['/gpu:0', '/gpu:1']\n"
            "NUMA bind:   False\n"
            "Data format: NCHW\n"
            "Optimizer:   sgd\n"
            "Variables:   replicated\n"
            "AllReduce:   nccl\n"
            "==========\n"
            "Generating training model\n"
            "Initializing graph\n"
            "Running warm up\n"
            "Done warm up\n"
            "Step\tImg/sec\ttotal_loss\n"
            "1\timages/sec: 411.2 +/- 0.0 (jitter = 0.0)\t7.972\n"
            "10\timages/sec: 409.8 +/- 0.9 (jitter = 1.7)\t8.031\n"
            "----------------------------------------------------------------\n"
            "total images/sec: 409.31\n"
            "----------------------------------------------------------------\n");
}

TEST(Console, NamesRealDataWithoutASuffix) {
  ConsoleHeader header = example_header();
  header.synthetic = false;
  std::ostringstream out;
  Console(out, "total_loss", false).header(header);
  EXPECT_NE(out.str().find("Dataset:     imagenet\n"), std::string::npos) << out.str();
}

TEST(Console, HasAccuracyColumnsWhenAsked) {
  std::ostringstream out;
  Console console(out, "base_loss", true);
  console.columns();
  console.step(1, {50, 1.25, 2.34}, 7, Accuracy{0.125, 0.5});
  EXPECT_EQ(out.str(),
            "Step\tImg/sec\tbase_loss\ttop_1_accuracy\ttop_5_accuracy\n"
            "1\timages/sec: 50.0 +/- 1.2 (jitter = 2.3)\t7.000\t0.125\t0.500\n");
}

TEST(Console, PrintsALossThatIsNotANumber) {
  std::ostringstream out;
  Console(out, "total_loss", false).step(1, {50, 0, 0}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(out.str(), "1\timages/sec: 50.0 +/- 0.0 (jitter = 0.0)\tnan\n");
}

TEST(Console, LeavesOutTheSignOfNotANumber) {
  std::ostringstream out;
  Console(out, "total_loss", false).step(1, {50, 0, 0}, -std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(out.str(), "1\timages/sec: 50.0 +/- 0.0 (jitter = 0.0)\tnan\n");
}

TEST(Console, PrintsTheLinesOfEvaluations) {
  std::ostringstream out;
  Console console(out, "total_loss", false);
  console.enters(RunPhase::kGeneratingEvaluationModel);
  console.model_loaded("/tmp/lenet/model-30.safetensors");
  console.evaluation_begins(30, false);
  console.evaluation_step(10, 1234.56);
  console.accuracy({0.75119, 0.92528}, 50000);
  console.enters(RunPhase::kTrainingResumes);
  console.evaluation_begins(40, true);
  console.target_reached(0.75);
  console.enters(RunPhase::kTrainingDone);
  EXPECT_EQ(out.str(),
            "Generating evaluation model\n"
            "Successfully loaded model from /tmp/lenet/model-30.safetensors.\n"
            "Running evaluation at global_step 30\n"
            "10\t1234.6 examples/sec\n"
            "Accuracy @ 1 = 0.7512 Accuracy @ 5 = 0.9253 [50000 examples]\n"
            "Resuming training\n"
            "Running final evaluation at global_step 40\n"
            "Stopping, as eval accuracy of at least 0.75 was reached\n"
            "Done with training\n");
}

TEST(Console, DisplaysTheFirstStepAndEveryTenth) {
  std::vector<int> displayed;
  for (int step = 1; step <= 30; ++step) {
    if (is_displayed(step, 10)) displayed.push_back(step);
  }
  EXPECT_EQ(displayed, (std::vector<int>{1, 10, 20, 30}));
}

}  // namespace
}  // namespace convoy::report
