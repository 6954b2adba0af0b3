#include "core/cli/run_options.hpp"

#include <gtest/gtest.h>

#include "core/cli/flag_parser.hpp"
#include "core/cli/run_flags.hpp"
#include "tests/cli/usage_error.hpp"

namespace convoy {
namespace {

RunOptions options_of(const std::vector<std::string>& arguments) {
  FlagParserOptions parser;
  parser.environment = [](const std::string&) { return std::nullopt; };
  return run_options(parse_flags(run_flag_table(), arguments, parser));
}

void expect_usage_error(const std::vector<std::string>& arguments,
                        std::initializer_list<std::string> mentioned) {
  expect_error([&] { options_of(arguments); }, ExitCode::kUsage, mentioned);
}

TEST(RunOptions, DefaultsAreASyntheticResnetOnTheBestDevices) {
  const auto options = options_of({});
  EXPECT_EQ(options.model, "resnet50");
  EXPECT_EQ(options.strategy, "auto");
  EXPECT_EQ(options.device, DeviceKind::kBest);
  EXPECT_EQ(options.num_devices, std::nullopt);
  EXPECT_EQ(options.input.data_dir, std::nullopt);
  EXPECT_EQ(options.length.steps(1281167, 64), 100);
  EXPECT_EQ(options.num_warmup_batches, 10);
  EXPECT_EQ(options.optimizer.kind, OptimizerKind::kSgd);
  EXPECT_EQ(options.optimizer.weight_decay, 4e-5);
  EXPECT_EQ(options.optimizer.rmsprop_epsilon, 1.0);
  EXPECT_EQ(options.optimizer.adam_epsilon, 1e-8);
  EXPECT_FALSE(options.gradients_are_summed);
  EXPECT_TRUE(options.dropout);
  EXPECT_EQ(options.seed, 1234u);
}

TEST(RunOptions, NumGpusMeansCudaUnlessADeviceIsNamed) {
  EXPECT_EQ(options_of({"--num_gpus=8"}).device, DeviceKind::kCuda);
  EXPECT_EQ(options_of({"--num_gpus=8"}).num_devices, 8);
  const auto cpu = options_of({"--device=CPU", "--num_gpus=2"});
  EXPECT_EQ(cpu.device, DeviceKind::kCpu);
  EXPECT_EQ(cpu.num_devices, 2);
  EXPECT_EQ(options_of({"--device=gpu"}).device, DeviceKind::kCuda);
  EXPECT_EQ(options_of({"--num_devices=3"}).device, DeviceKind::kBest);
  expect_usage_error({"--num_gpus=2", "--num_devices=3"}, {"--num_gpus=2", "--num_devices=3"});
}

TEST(RunOptions, DeviceIndicesAreAListWithoutRepetition) {
  EXPECT_EQ(options_of({"--gpu_indices=2,0,1"}).device_indices, (std::vector<int>{2, 0, 1}));
  EXPECT_TRUE(options_of({}).device_indices.empty());
  expect_usage_error({"--gpu_indices=0,x"}, {"'x'"});
  expect_usage_error({"--gpu_indices=0,,1"}, {"''"});
  expect_usage_error({"--gpu_indices=1,1"}, {"twice"});
  expect_usage_error({"--gpu_indices=0,1", "--num_gpus=3"}, {"2 devices", "3"});
}

TEST(RunOptions, EpochsAreRoundedUpToSteps) {
  const auto options = options_of({"--num_epochs=1.5"});
  EXPECT_EQ(options.length.steps(100, 64), 3) << "150 images in steps of 64";
  EXPECT_EQ(options.length.steps(128, 64), 3);
  EXPECT_EQ(options_of({"--num_batches=7"}).length.steps(100, 64), 7);
  expect_usage_error({"--num_batches=5", "--num_epochs=1"}, {"--num_batches=5", "--num_epochs=1"});
}

TEST(RunOptions, WarmUpGrowsWithTheAutotuneTrials) {
  EXPECT_EQ(options_of({"--autotune_threshold=3"}).num_warmup_batches, 45);
  EXPECT_EQ(options_of({"--autotune_threshold=1"}).num_warmup_batches, 10);
  EXPECT_EQ(options_of({"--autotune_threshold=3", "--num_warmup_batches=0"}).num_warmup_batches, 0);
}

TEST(RunOptions, OptimizerAndRatesArrive) {
  const auto options =
      options_of({"--optimizer=momentum", "--momentum=0.8", "--gradient_clip=2", "--weight_decay=0",
                  "--gradient_scale=sum", "--init_learning_rate=0.5", "--num_epochs_per_decay=2",
                  "--learning_rate_decay_factor=0.1"});
  EXPECT_EQ(options.optimizer.kind, OptimizerKind::kMomentum);
  EXPECT_EQ(options.optimizer.momentum, 0.8);
  EXPECT_EQ(options.optimizer.gradient_clip, 2.0);
  EXPECT_EQ(options.optimizer.weight_decay, 0);
  EXPECT_TRUE(options.gradients_are_summed);
  EXPECT_EQ(options.learning_rate.init_learning_rate, 0.5);
  EXPECT_EQ(options.learning_rate.decay_factor, 0.1);
}

TEST(RunOptions, ContradictingLearningRatesAreRefused) {
  expect_usage_error({"--learning_rate_decay_factor=0.1"}, {"num_epochs_per_decay"});
  expect_usage_error({"--piecewise_learning_rate_schedule=1;3;.1", "--init_learning_rate=1"},
                     {"init_learning_rate"});
}

TEST(RunOptions, InputFlagsArrive) {
  const auto options = options_of({"--data_dir=/data", "--data_name=imagenet", "--distortions",
                                   "--resize_method=AREA", "--on_bad_record=skip",
                                   "--input_threads=3", "--prefetch_depth=4"});
  EXPECT_EQ(options.input.data_dir, "/data");
  EXPECT_EQ(options.input.data_name, "imagenet");
  EXPECT_EQ(options.input.resize_method, "area");
  EXPECT_TRUE(options.input.distortions);
  EXPECT_TRUE(options.input.skip_bad_records);
  EXPECT_EQ(options.input.threads, 3);
  EXPECT_EQ(options.input.prefetch_depth, 4);
  EXPECT_EQ(options_of({"--data_dir="}).input.data_dir, std::nullopt);
}

TEST(RunOptions, StartAndOutputFlagsArrive) {
  const auto options =
      options_of({"--seed=7", "--initializer=hash", "--nodropout", "--output_file=run.json",
                  "--trace_file=trace.json", "--use_nccl=False"});
  EXPECT_EQ(options.seed, 7u);
  EXPECT_EQ(options.initializer, InitializerChoice::kHash);
  EXPECT_FALSE(options.dropout);
  EXPECT_EQ(options.output_file, "run.json");
  EXPECT_EQ(options.trace_file, "trace.json");
  EXPECT_EQ(options.use_nccl, false);
  EXPECT_EQ(options_of({}).use_nccl, std::nullopt);
}

TEST(RunOptions, NumbersThatDoNotFitAreRefused) {
  expect_usage_error({"--batch_size=4294967296"}, {"--batch_size=4294967296"});
}

}  // namespace
}  // namespace convoy
