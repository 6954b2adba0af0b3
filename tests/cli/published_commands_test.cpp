// Command lines published for tf_cnn_benchmarks work as they are, apart from the program's name.
#include <gtest/gtest.h>

#include <sstream>

#include "core/cli/flag_parser.hpp"
#include "core/cli/run_flags.hpp"
#include "core/cli/run_options.hpp"
#include "tests/cli/usage_error.hpp"

namespace convoy {
namespace {

struct PublishedCommand {
  std::string name;
  std::string arguments;
  std::string model;
  int devices;
  int batch_size;
  std::string strategy;
};

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

FlagValues parse(const std::string& arguments) {
  FlagTable table = run_flag_table();
  table.add_option({.name = "local_parameter_device",
                    .type = FlagType::kEnum,
                    .default_value = "gpu",
                    .allowed = {"cpu", "gpu"}},
                   "parameter_server");
  FlagParserOptions options;
  options.environment = [](const std::string&) { return std::nullopt; };
  return parse_flags(table, words(arguments), options);
}

class PublishedCommands : public ::testing::TestWithParam<PublishedCommand> {};

TEST_P(PublishedCommands, Parses) {
  const auto& command = GetParam();
  const auto options = run_options(parse(command.arguments));
  EXPECT_EQ(options.model, command.model);
  EXPECT_EQ(options.num_devices, command.devices);
  EXPECT_EQ(options.batch_size, command.batch_size);
  EXPECT_EQ(options.strategy, command.strategy);
}

INSTANTIATE_TEST_SUITE_P(
    HighPerformanceModels, PublishedCommands,
    ::testing::Values(
        PublishedCommand{"VggOnComputeEngine",
                         "--local_parameter_device=cpu --num_gpus=8 --batch_size=32 --model=vgg16 "
                         "--data_dir=/home/ubuntu/imagenet/train "
                         "--variable_update=parameter_server --nodistortions",
                         "vgg16", 8, 32, "parameter_server"},
        PublishedCommand{"VggOnDgx1",
                         "--local_parameter_device=gpu --num_gpus=8 --batch_size=64 --model=vgg16 "
                         "--variable_update=replicated --use_nccl=True",
                         "vgg16", 8, 64, "replicated"},
        PublishedCommand{"VggOnEc2",
                         "--local_parameter_device=gpu --num_gpus=8 --batch_size=64 --model=vgg16 "
                         "--variable_update=parameter_server",
                         "vgg16", 8, 64, "parameter_server"},
        PublishedCommand{"ResnetOnEc2",
                         "--local_parameter_device=gpu --num_gpus=8 --batch_size=64 "
                         "--model=resnet50 --variable_update=replicated --use_nccl=False",
                         "resnet50", 8, 64, "replicated"},
        PublishedCommand{"ReadmeFirstRun",
                         "--num_gpus=1 --batch_size=32 --model=resnet50 "
                         "--variable_update=parameter_server",
                         "resnet50", 1, 32, "parameter_server"},
        PublishedCommand{"CpuWithMkl",
                         "--device=cpu --num_gpus=1 --data_format=NHWC --model=inception3 "
                         "--batch_size=32 --mkl=True --kmp_blocktime=0 --num_intra_threads=8 "
                         "--num_inter_threads=2 --variable_update=parameter_server",
                         "inception3", 1, 32, "parameter_server"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(PublishedDistributedCommand, IsUnderstoodAndRefusedAsNotYet) {
  expect_error(
      [] {
        parse(
            "--local_parameter_device=gpu --num_gpus=8 --batch_size=64 --model=resnet50 "
            "--variable_update=distributed_replicated --job_name=worker "
            "--ps_hosts=10.0.0.1:50000,10.0.0.2:50000 "
            "--worker_hosts=10.0.0.1:50001,10.0.0.2:50001 --task_index=0");
      },
      ExitCode::kUnavailable, {"job_name", "not yet"});
}

}  // namespace
}  // namespace convoy
