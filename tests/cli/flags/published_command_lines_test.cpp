// Command lines that were published for tf_cnn_benchmarks, with the flags of their time. They must
// be understood as they are.

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "core/cli/flags/run_flags.hpp"
#include "core/plugin/device_choice.hpp"
#include "tests/cli/parsing.hpp"

namespace convoy::cli {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The table as it is when the strategy of the command line is chosen. Only parameter_server has an
// option here; which options a strategy really has is its manifest's business.
FlagTable table_for(const std::vector<std::string>& arguments, RunCommand& command) {
  FlagTable table = run_flag_table(command);
  const Variables none;
  if (find_flag(arguments, "variable_update", environment_of(none)) == "parameter_server") {
    table.add({.name = "local_parameter_device",
               .type = FlagType::kEnum,
               .default_value = "gpu",
               .allowed = {"cpu", "gpu"}});
  }
  add_missing_strategy_flags(table, "replicated", {});
  return table;
}

JobOptions understood(const std::string& line) {
  const std::vector<std::string> arguments = words(line);
  RunCommand command;
  const ParsedFlags flags = parse(table_for(arguments, command), arguments);
  complete(command, flags, {"local_parameter_device"});
  return command.options;
}

TEST(PublishedCommandLines, Vgg16OnEightGpusWithVariablesOnTheHost) {
  const std::string line =
      "--local_parameter_device=cpu --num_gpus=8 --batch_size=32 --model=vgg16 "
      "--data_dir=/home/ubuntu/imagenet/train --variable_update=parameter_server --nodistortions";
  const JobOptions options = understood(line);
  EXPECT_EQ(options.device, plugin::kGpuDevices);
  EXPECT_EQ(options.num_devices, 8);
  EXPECT_EQ(options.batch_size, 32);
  EXPECT_EQ(options.data_dir, "/home/ubuntu/imagenet/train");
  EXPECT_EQ(options.variable_update, "parameter_server");
  EXPECT_FALSE(options.distortions);
  EXPECT_EQ(options.plugin_options.at("local_parameter_device"), "cpu");
}

TEST(PublishedCommandLines, Vgg16ReplicatedWithNccl) {
  const JobOptions options = understood(
      "--local_parameter_device=gpu --num_gpus=8 --batch_size=64 --model=vgg16 "
      "--variable_update=replicated --use_nccl=True");
  EXPECT_EQ(options.variable_update, "replicated");
  EXPECT_EQ(options.use_nccl, true);
}

TEST(PublishedCommandLines, Vgg16WithVariablesOnTheGpus) {
  const JobOptions options = understood(
      "--local_parameter_device=gpu --num_gpus=8 --batch_size=64 --model=vgg16 "
      "--variable_update=parameter_server");
  EXPECT_EQ(options.use_nccl, std::nullopt);
}

TEST(PublishedCommandLines, Resnet50ReplicatedWithoutNccl) {
  const JobOptions options = understood(
      "--local_parameter_device=gpu --num_gpus=8 --batch_size=64 --model=resnet50 "
      "--variable_update=replicated --use_nccl=False");
  EXPECT_EQ(options.use_nccl, false);
}

TEST(PublishedCommandLines, OneCpuDeviceWithThreads) {
  const JobOptions options = understood(
      "--local_parameter_device=cpu --num_gpus=1 --num_inter_threads=1 --num_intra_threads=4 "
      "--batch_size=16 --model=resnet50 --variable_update=parameter_server --use_nccl=False "
      "--device=cpu --data_format=NHWC --num_batches=10");
  EXPECT_EQ(options.device, "cpu");
  EXPECT_EQ(options.num_devices, 1);
  EXPECT_EQ(options.threads_per_device, 4);
  EXPECT_EQ(options.data_format, "NHWC");
}

TEST(PublishedCommandLines, TheFlagsOfADrivenBenchmark) {
  const JobOptions options = understood(
      "--local_parameter_device=gpu --batch_size=64 --model=inception3 --data_name=imagenet "
      "--variable_update=parameter_server --use_nccl=True --distortions=True --device=gpu "
      "--data_format=NCHW --forward_only=False");
  EXPECT_TRUE(options.distortions);
  EXPECT_EQ(options.data_name, "imagenet");
}

TEST(PublishedCommandLines, TwoHosts) {
  const char* const common =
      " --local_parameter_device=gpu --num_gpus=8 --batch_size=64 --model=resnet50 "
      "--variable_update=distributed_replicated --ps_hosts=10.0.0.1:50000,10.0.0.2:50000 "
      "--worker_hosts=10.0.0.1:50001,10.0.0.2:50001";
  for (const std::string role : {"worker", "ps"})
    for (const int index : {0, 1}) {
      const JobOptions options =
          understood("--job_name=" + role + " --task_index=" + std::to_string(index) + common);
      EXPECT_EQ(options.task.job_name, role);
      EXPECT_EQ(options.task.task_index, index);
      EXPECT_EQ(options.machine.ps_hosts, "10.0.0.1:50000,10.0.0.2:50000");
      EXPECT_EQ(options.machine.worker_hosts, "10.0.0.1:50001,10.0.0.2:50001");
      EXPECT_EQ(options.num_devices, 8);
    }
}

}  // namespace
}  // namespace convoy::cli
