#include "core/report/console.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace convoy {
namespace {

RunHeader resnet_header() {
  RunHeader header;
  header.version = "0.1.0";
  header.model = "resnet50";
  header.dataset = "imagenet";
  header.global_batch = 128;
  header.device_batch = 64;
  header.num_batches = 100;
  header.num_epochs = 0.00999;
  header.devices = {"/gpu:0", "/gpu:1"};
  header.data_format = "NCHW";
  header.optimizer = "sgd";
  header.variables = "replicated";
  header.all_reduce = "nccl";
  return header;
}

TEST(Console, HeaderIsTheWellKnownBlock) {
  std::ostringstream out;
  Console(out, "total_loss", false).header(resnet_header());
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
            "==========\n");
}

TEST(Console, HeaderOmitsWhatDoesNotApply) {
  RunHeader header = resnet_header();
  header.synthetic = false;
  header.all_reduce.reset();
  std::ostringstream out;
  Console(out, "total_loss", false).header(header);
  EXPECT_NE(out.str().find("Dataset:     imagenet\n"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("AllReduce"), std::string::npos) << out.str();
}

TEST(Console, StepsAndTotalAreByteForByte) {
  std::ostringstream out;
  Console console(out, "total_loss", false);
  console.message("Done warm up");
  console.column_titles();
  console.step(1, {411.24, 0, 0}, 7.9719);
  console.step(10, {409.78, 0.92, 1.66}, 8.0306);
  console.total(409.314);
  EXPECT_EQ(out.str(),
            "Done warm up\n"
            "Step\tImg/sec\ttotal_loss\n"
            "1\timages/sec: 411.2 +/- 0.0 (jitter = 0.0)\t7.972\n"
            "10\timages/sec: 409.8 +/- 0.9 (jitter = 1.7)\t8.031\n"
            "----------------------------------------------------------------\n"
            "total images/sec: 409.31\n"
            "----------------------------------------------------------------\n");
}

TEST(Console, AccuracyAddsTwoColumns) {
  std::ostringstream out;
  Console console(out, "base_loss", true);
  console.column_titles();
  console.step(20, {10, 1, 2}, 0.5, Accuracy{0.25, 0.8125});
  EXPECT_EQ(out.str(),
            "Step\tImg/sec\tbase_loss\ttop_1_accuracy\ttop_5_accuracy\n"
            "20\timages/sec: 10.0 +/- 1.0 (jitter = 2.0)\t0.500\t0.250\t0.812\n");
}

TEST(Console, LossThatIsNoNumberIsShownAsSuch) {
  std::ostringstream out;
  Console(out, "total_loss", false).step(1, {1, 0, 0}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(out.str().ends_with("\tnan\n")) << out.str();
}

TEST(Console, DisplaysTheFirstStepAndEveryTenth) {
  std::vector<int> displayed;
  for (int step = 1; step <= 30; ++step) {
    if (is_displayed(step, 10)) displayed.push_back(step);
  }
  EXPECT_EQ(displayed, (std::vector<int>{1, 10, 20, 30}));
}

}  // namespace
}  // namespace convoy
