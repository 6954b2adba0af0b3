#include "core/job/options.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/cli/flags/run_flags.hpp"
#include "core/plugin/device_choice.hpp"
#include "tests/cli/parsing.hpp"

namespace convoy::cli::run_options_test {
namespace {

JobOptions options_of(const std::vector<std::string>& arguments) {
  RunCommand command;
  complete(command, parse(run_flag_table(command), arguments), {});
  return command.options;
}

plan::GuardOptions guard_of(const std::vector<std::string>& arguments) {
  return job::guard_options(options_of(arguments));
}

void expect_usage_error(const std::vector<std::string>& arguments, const std::string& part) {
  const Failure failure = failure_of([&] { options_of(arguments); });
  EXPECT_EQ(failure.code, ExitCode::kUsage) << testing::PrintToString(arguments);
  EXPECT_TRUE(failure.mentions(part)) << failure.text;
}

TEST(JobOptions, HaveTheDocumentedDefaults) {
  const JobOptions options = options_of({});
  EXPECT_EQ(options.model, "resnet50");
  EXPECT_EQ(options.batch_size, std::nullopt);
  EXPECT_EQ(options.num_batches, std::nullopt);
  EXPECT_EQ(options.num_warmup_batches, std::nullopt);
  EXPECT_EQ(options.device, plugin::kAnyDevice);
  EXPECT_EQ(options.num_devices, std::nullopt);
  EXPECT_EQ(options.variable_update, "auto");
  EXPECT_EQ(options.use_nccl, std::nullopt);
  EXPECT_EQ(options.bucket_mb, std::nullopt);
  EXPECT_EQ(job::bucket_elements(options), std::uint64_t{16} << 18);
  EXPECT_EQ(options.optimizer.kind, CONVOY_OPTIMIZER_SGD);
  EXPECT_EQ(options.optimizer.weight_decay, 4e-5);
  EXPECT_EQ(options.optimizer.gradient_scale, GradientScale::kMean);
  EXPECT_EQ(options.display_every, 10);
  EXPECT_EQ(options.loss_type_to_report, "total_loss");
  EXPECT_EQ(options.seed, 1234u);
  EXPECT_TRUE(options.dropout);
  EXPECT_FALSE(options.half);
}

TEST(JobOptions, TakeTheirValuesFromTheFlags) {
  const JobOptions options = options_of(
      {"--model=vgg16", "--batch_size=8", "--num_batches=5", "--device=cpu", "--num_devices=2",
       "--gpu_indices=1,0", "--num_intra_threads=3", "--optimizer=RMSProp", "--rmsprop_decay=0.8",
       "--gradient_scale=sum", "--gradient_clip=2", "--seed=4294967295", "--initializer=hash",
       "--nodropout", "--use_fp16", "--use_nccl=False", "--input_threads=3",
       "--init_learning_rate=0.1"});
  EXPECT_EQ(options.model, "vgg16");
  EXPECT_EQ(options.batch_size, 8);
  EXPECT_EQ(options.num_batches, 5);
  EXPECT_EQ(options.device, "cpu");
  EXPECT_EQ(options.num_devices, 2);
  EXPECT_EQ(options.device_order, (std::vector<std::string>{"1", "0"}));
  EXPECT_EQ(options.threads_per_device, 3);
  EXPECT_EQ(options.optimizer.kind, CONVOY_OPTIMIZER_RMSPROP);
  EXPECT_EQ(options.optimizer.rmsprop_decay, 0.8);
  EXPECT_EQ(options.optimizer.gradient_scale, GradientScale::kSum);
  EXPECT_EQ(options.optimizer.gradient_clip, 2);
  EXPECT_EQ(options.seed, 4294967295u);
  EXPECT_EQ(options.initializer, InitializerChoice::kHash);
  EXPECT_FALSE(options.dropout);
  EXPECT_TRUE(options.half);
  EXPECT_EQ(options.use_nccl, false);
  EXPECT_EQ(options.input_threads, 3);
  EXPECT_EQ(options.learning_rate.init_learning_rate, 0.1);
}

TEST(JobOptions, ANumberOfGpusAsksForGpusUnlessTheDeviceIsNamed) {
  EXPECT_EQ(options_of({"--num_gpus=8"}).device, plugin::kGpuDevices);
  EXPECT_EQ(options_of({"--num_gpus=8"}).num_devices, 8);
  EXPECT_EQ(options_of({"--num_gpus=1", "--device=CPU"}).device, "cpu");
  EXPECT_EQ(options_of({"--device=cuda"}).device, plugin::kGpuDevices);
  EXPECT_EQ(options_of({"--num_devices=2"}).device, plugin::kAnyDevice);
}

TEST(JobOptions, RefuseCountsThatDoNotFit) {
  for (const std::string name :
       {"batch_size", "eval_batch_size", "num_devices", "num_gpus", "num_intra_threads",
        "datasets_num_private_threads", "input_threads", "datasets_prefetch_buffer_size",
        "prefetch_depth"})
    for (const std::string value : {"2147483648", "4294967296", "4294967297", "9223372036854775807",
                                    "9223372036854775808", "-1"}) {
      const std::string flag = fmt::format("--{}={}", name, value);
      expect_usage_error({flag}, flag + ": it must be an integer from ");
    }
}

TEST(JobOptions, SayTheBoundsOfACount) {
  expect_usage_error({"--batch_size=4294967297"},
                     "--batch_size=4294967297: it must be an integer from 0 to 1000000000");
  expect_usage_error({"--num_gpus=4294967297"}, "an integer from 1 to 1024");
  for (const char* name : {"num_devices", "num_gpus", "input_threads", "prefetch_depth"})
    expect_usage_error({std::string("--") + name + "=0"}, "an integer from 1 to ");
}

TEST(JobOptions, ZeroLeavesTheChoiceWhereThatIsSaid) {
  EXPECT_EQ(options_of({"--batch_size=0"}).batch_size, std::nullopt);
  EXPECT_EQ(options_of({"--eval_batch_size=0"}).evaluation.batch_size, std::nullopt);
  EXPECT_EQ(options_of({"--num_intra_threads=0"}).threads_per_device, 0u);
}

TEST(JobOptions, IgnoredIntegersMayBeAny) {
  for (const std::string value : {"2147483648", "4294967297", "9223372036854775807", "-1", "0"})
    EXPECT_NO_THROW(options_of({"--num_inter_threads=" + value})) << value;
}

TEST(JobOptions, StepsHaveSixtyFourBitsAndAddUp) {
  EXPECT_EQ(options_of({"--num_batches=4294967297"}).num_batches, 4294967297);
  expect_usage_error({"--num_batches=9223372036854775807"}, "from 1 to 1000000000000000");
  expect_usage_error({"--num_warmup_batches=9223372036854775807"}, "from 0 to 1000000000000000");
  expect_usage_error({"--seed=4294967296"}, "from 0 to 4294967295");
  expect_usage_error({"--eval_interval_secs=9223372036854775807"}, "from 0 to 1000000000");
  expect_usage_error({"--num_epochs=1e300"}, "a number above 0 and up to 1000000000");
}

TEST(JobOptions, RefuseContradictions) {
  expect_usage_error({"--num_batches=10", "--num_epochs=1"}, "--num_epochs=1");
  expect_usage_error({"--num_epochs=0"}, "above 0");
  expect_usage_error({"--num_gpus=2", "--num_devices=3"}, "--num_devices=3");
  expect_usage_error({"--num_epochs_per_decay=2"}, "--init_learning_rate");
  expect_usage_error({"--piecewise_learning_rate_schedule=1;2"}, "1;2");
  expect_usage_error({"--momentum=1"}, "--momentum=1");
  expect_usage_error({"--gradient_clip=0"}, "--gradient_clip=0");
  expect_usage_error({"--display_perf_ewma=1.5"}, "from 0 to 1");
  expect_usage_error({"--seed=4294967296"}, "--seed=4294967296");
}

TEST(JobOptions, LossScalingGoesWithSixteenBitsUnlessTheScaleIsGiven) {
  EXPECT_FALSE(guard_of({}).scales_loss());
  EXPECT_FALSE(guard_of({}).needs_norm());
  EXPECT_EQ(guard_of({"--use_fp16"}).loss_scale, (plan::LossScale{128, 0}));
  EXPECT_FALSE(guard_of({"--use_fp16", "--fp16_loss_scale=1"}).scales_loss());
  EXPECT_EQ(guard_of({"--fp16_loss_scale=8"}).loss_scale.scale, 8);
  const plan::GuardOptions adapted =
      guard_of({"--use_fp16", "--fp16_enable_auto_loss_scale", "--fp16_inc_loss_scale_every_n=20"});
  EXPECT_TRUE(adapted.automatic_loss_scale);
  EXPECT_EQ(adapted.increase_every, 20u);
  expect_usage_error({"--fp16_enable_auto_loss_scale"}, "add --use_fp16");
  expect_usage_error({"--fp16_loss_scale=0"}, "--fp16_loss_scale=0");
  expect_usage_error({"--fp16_loss_scale=-2"}, "--fp16_loss_scale=-2");
  expect_usage_error({"--fp16_loss_scale=1e39"}, "normal 32-bit number");
  expect_usage_error({"--fp16_inc_loss_scale_every_n=0"}, "--fp16_inc_loss_scale_every_n=0");
  expect_usage_error({"--fp16_vars"}, "32-bit always");
}

TEST(JobOptions, AGradientIsClippedByItsNormToSomethingPositive) {
  EXPECT_EQ(guard_of({"--gradient_clip_norm=2.5"}).clip_norm, 2.5);
  EXPECT_TRUE(guard_of({"--report_gradient_norms"}).gradient_norms);
  expect_usage_error({"--gradient_clip_norm=0"}, "--gradient_clip_norm=0");
  expect_usage_error({"--gradient_clip_norm=-1"}, "--gradient_clip_norm=-1");
}

// Every flag with its value, and what to do.
void expect_contradiction(const std::vector<std::string>& flags,
                          const std::vector<std::string>& needed = {}) {
  for (const std::string& flag : flags) expect_usage_error(flags, flag);
  for (const std::string& part : needed) expect_usage_error(flags, part);
  expect_usage_error(flags, "give");
}

TEST(JobOptions, RefuseSchedulesThatContradictEachOther) {
  const std::string piecewise = "--piecewise_learning_rate_schedule=1;3;.1";
  for (const char* other : {"--init_learning_rate=0.1", "--learning_rate_decay_factor=0.5",
                            "--minimum_learning_rate=0.01", "--num_epochs_per_decay=2"}) {
    expect_usage_error({piecewise, other}, piecewise);
    expect_usage_error({piecewise, other}, other);
    expect_usage_error({piecewise, other}, "leave out one or the other");
  }
  expect_contradiction({"--num_epochs_per_decay=2"},
                       {"--init_learning_rate", "--learning_rate_decay_factor"});
  expect_contradiction({"--learning_rate_decay_factor=0.5", "--init_learning_rate=1"},
                       {"--num_epochs_per_decay"});
  expect_contradiction({"--num_epochs_per_decay=2", "--learning_rate_decay_factor=0.5"},
                       {"--init_learning_rate"});
  expect_contradiction({"--minimum_learning_rate=0.1", "--init_learning_rate=1"},
                       {"--num_epochs_per_decay", "--learning_rate_decay_factor"});
  expect_contradiction({"--num_learning_rate_warmup_epochs=5"},
                       {"--init_learning_rate", "--piecewise_learning_rate_schedule"});
  expect_contradiction({"--resnet_base_lr=0.1", "--init_learning_rate=1"});
  expect_contradiction({"--resnet_base_lr=0.1", piecewise});
}

TEST(JobOptions, RefuseSchedulesThatDoNotParse) {
  for (const char* text : {"1;3", "1;3;.1;5", "1;x;.1", "1;2.5;.1", ";", "nan;3;.1", "-1;3;.1"}) {
    const std::string flag = std::string("--piecewise_learning_rate_schedule=") + text;
    expect_usage_error({flag}, flag);
  }
  for (const char* flag : {"--init_learning_rate=-1", "--init_learning_rate=nan",
                           "--num_epochs_per_decay=-2", "--optimizer=lamb", "--rmsprop_decay=2"})
    expect_usage_error({flag}, flag);
}

TEST(JobOptions, RefuseLengthsDevicesAndThreadsThatContradictEachOther) {
  expect_contradiction({"--num_batches=10", "--num_epochs=1"});
  expect_contradiction({"--num_gpus=2", "--num_devices=3"});
  const std::vector<std::string> threads = {"--per_gpu_thread_count=2", "--gpu_thread_mode=global"};
  for (const std::string& flag : threads) expect_usage_error(threads, flag);
  EXPECT_NO_THROW(options_of({"--per_gpu_thread_count=2"}));
  expect_usage_error({"--gpu_thread_mode=mine"}, "gpu_shared");
}

TEST(JobOptions, AskForTheHashWithTheGuarantee) {
  EXPECT_FALSE(options_of({}).print_parameter_hash);
  EXPECT_TRUE(options_of({"--print_parameter_hash"}).print_parameter_hash);
  EXPECT_FALSE(options_of({"--print_parameter_hash"}).deterministic);
  EXPECT_TRUE(options_of({"--deterministic"}).deterministic);
}

TEST(JobOptions, RefuseMalformedDeviceLists) {
  EXPECT_EQ(options_of({"--gpu_indices=GPU-8932f937,MIG-1"}).device_order,
            (std::vector<std::string>{"GPU-8932f937", "MIG-1"}));
  EXPECT_TRUE(options_of({"--gpu_indices="}).device_order.empty());
  for (const char* list : {"0,", ",0", "0,,1", "a", "0;1", "-1", "GPU-", "gpu0", "0,GPU-"}) {
    expect_usage_error({std::string("--gpu_indices=") + list}, "--gpu_indices");
  }
  expect_usage_error({"--gpu_indices=0,1", "--num_gpus=3"}, "lists 2 devices");
}

}  // namespace
}  // namespace convoy::cli::run_options_test
