#include "core/cli/run_flags.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/cli/flag_parser.hpp"
#include "tests/cli/usage_error.hpp"

namespace convoy {
namespace {

// Every flag of tf_cnn_benchmarks.
constexpr std::array kHistoricalNames = {"model",
                                         "eval",
                                         "eval_interval_secs",
                                         "eval_during_training_every_n_steps",
                                         "eval_during_training_every_n_epochs",
                                         "eval_during_training_at_specified_steps",
                                         "eval_during_training_at_specified_epochs",
                                         "forward_only",
                                         "freeze_when_forward_only",
                                         "print_training_accuracy",
                                         "batch_size",
                                         "eval_batch_size",
                                         "batch_group_size",
                                         "num_batches",
                                         "num_eval_batches",
                                         "num_epochs",
                                         "num_eval_epochs",
                                         "stop_at_top_1_accuracy",
                                         "collect_eval_results_async",
                                         "num_warmup_batches",
                                         "autotune_threshold",
                                         "num_gpus",
                                         "gpu_indices",
                                         "display_every",
                                         "display_perf_ewma",
                                         "data_dir",
                                         "data_name",
                                         "resize_method",
                                         "distortions",
                                         "use_datasets",
                                         "input_preprocessor",
                                         "gpu_thread_mode",
                                         "per_gpu_thread_count",
                                         "hierarchical_copy",
                                         "network_topology",
                                         "gradient_repacking",
                                         "compact_gradient_transfer",
                                         "variable_consistency",
                                         "datasets_repeat_cached_sample",
                                         "local_parameter_device",
                                         "device",
                                         "data_format",
                                         "num_intra_threads",
                                         "num_inter_threads",
                                         "use_numa_affinity",
                                         "trace_file",
                                         "use_chrome_trace_format",
                                         "tfprof_file",
                                         "graph_file",
                                         "partitioned_graph_file_prefix",
                                         "optimizer",
                                         "init_learning_rate",
                                         "piecewise_learning_rate_schedule",
                                         "num_epochs_per_decay",
                                         "learning_rate_decay_factor",
                                         "num_learning_rate_warmup_epochs",
                                         "minimum_learning_rate",
                                         "resnet_base_lr",
                                         "momentum",
                                         "rmsprop_decay",
                                         "rmsprop_momentum",
                                         "rmsprop_epsilon",
                                         "adam_beta1",
                                         "adam_beta2",
                                         "adam_epsilon",
                                         "gradient_clip",
                                         "weight_decay",
                                         "gpu_memory_frac_for_testing",
                                         "use_unified_memory",
                                         "timestamped_allocator",
                                         "gpu_kt_max_interval",
                                         "gpu_kt_max_bytes",
                                         "gpu_kt_max_pending",
                                         "use_tf_layers",
                                         "tf_random_seed",
                                         "debugger",
                                         "use_python32_barrier",
                                         "ml_perf",
                                         "datasets_use_prefetch",
                                         "datasets_prefetch_buffer_size",
                                         "datasets_num_private_threads",
                                         "datasets_use_caching",
                                         "datasets_parallel_interleave_cycle_length",
                                         "datasets_sloppy_parallel_interleave",
                                         "datasets_parallel_interleave_prefetch",
                                         "multi_device_iterator_max_buffer_size",
                                         "winograd_nonfused",
                                         "batchnorm_persistent",
                                         "sync_on_finish",
                                         "staged_vars",
                                         "force_gpu_compatible",
                                         "allow_growth",
                                         "xla",
                                         "xla_compile",
                                         "fuse_decode_and_crop",
                                         "distort_color_in_yiq",
                                         "enable_optimizations",
                                         "rewriter_config",
                                         "loss_type_to_report",
                                         "single_l2_loss_op",
                                         "use_resource_vars",
                                         "compute_lr_on_cpu",
                                         "sparse_to_dense_grads",
                                         "mkl",
                                         "kmp_blocktime",
                                         "kmp_affinity",
                                         "kmp_settings",
                                         "use_fp16",
                                         "fp16_loss_scale",
                                         "fp16_vars",
                                         "fp16_enable_auto_loss_scale",
                                         "fp16_inc_loss_scale_every_n",
                                         "variable_update",
                                         "all_reduce_spec",
                                         "agg_small_grads_max_bytes",
                                         "agg_small_grads_max_group",
                                         "allreduce_merge_scope",
                                         "job_name",
                                         "ps_hosts",
                                         "worker_hosts",
                                         "controller_host",
                                         "task_index",
                                         "server_protocol",
                                         "cross_replica_sync",
                                         "horovod_device",
                                         "summary_verbosity",
                                         "save_summaries_steps",
                                         "save_model_secs",
                                         "save_model_steps",
                                         "max_ckpts_to_keep",
                                         "train_dir",
                                         "eval_dir",
                                         "backbone_model_path",
                                         "trt_mode",
                                         "trt_max_workspace_size_bytes",
                                         "benchmark_log_dir",
                                         "benchmark_test_id",
                                         "ml_perf_compliance_logging"};

FlagValues parse(const std::vector<std::string>& arguments, FlagTable table = run_flag_table()) {
  FlagParserOptions options;
  options.environment = [](const std::string&) { return std::nullopt; };
  return parse_flags(table, arguments, options);
}

TEST(RunFlags, KnowsEveryHistoricalName) {
  EXPECT_EQ(kHistoricalNames.size(), 138u);
  const FlagTable table = run_flag_table();
  for (const char* name : kHistoricalNames) EXPECT_NE(table.find(name), nullptr) << name;
}

TEST(RunFlags, DefaultsPassTheirOwnChecks) {
  const FlagTable table = run_flag_table();
  for (const auto& flag : table.definitions()) {
    if (!flag.default_value) continue;
    EXPECT_EQ(checked_value(flag, *flag.default_value, flag.name), *flag.default_value);
  }
}

TEST(RunFlags, FlagsOfLaterVersionsAreUnavailable) {
  for (const char* argument : {"--eval", "--forward_only", "--use_fp16", "--train_dir=/tmp/x",
                               "--save_model_steps=5", "--fp16_vars"}) {
    expect_error([&] { parse({argument}); }, ExitCode::kUnavailable, {"not yet"});
  }
}

TEST(RunFlags, SeveralHostsAreUnavailable) {
  for (const char* argument : {"--job_name=worker", "--ps_hosts=10.0.0.1:50000", "--task_index=1",
                               "--worker_hosts=10.0.0.1:50001", "--server_protocol=grpc+verbs"}) {
    expect_error([&] { parse({argument}); }, ExitCode::kUnavailable, {"not yet", "one host"});
  }
  EXPECT_NO_THROW(parse({"--task_index=0", "--job_name="}));
}

TEST(RunFlags, FlagsOfTensorFlowAreRefusedWithAReason) {
  expect_error([] { parse({"--xla"}); }, ExitCode::kUsage, {"XLA"});
  expect_error([] { parse({"--trt_mode=FP16"}); }, ExitCode::kUsage, {"TensorRT"});
  expect_error([] { parse({"--debugger=cli"}); }, ExitCode::kUsage, {"graph"});
}

TEST(RunFlags, HarmlessFlagsOnlyGiveNotice) {
  const auto values = parse({"--mkl", "--kmp_blocktime=30", "--nodistortions", "--nouse_tf_layers",
                             "--kmp_settings=1", "--num_inter_threads=2"});
  EXPECT_EQ(values.notices.size(), 4u);
}

TEST(RunFlags, StrategyOptionsChangingOnlySpeedAreIgnoredWithoutAStrategyThatHasThem) {
  EXPECT_TRUE(parse({"--local_parameter_device=gpu"}).notices.empty());
  EXPECT_EQ(parse({"--local_parameter_device=cpu"}).notices.size(), 1u);
  for (const char* argument :
       {"--staged_vars", "--variable_consistency=relaxed", "--nocross_replica_sync"}) {
    expect_error([&] { parse({argument}); }, ExitCode::kUsage, {"selected strategy"});
  }
}

TEST(RunFlags, StrategyOptionsActOnceAStrategyDeclaresThem) {
  FlagTable table = run_flag_table();
  table.add_option({.name = "staged_vars", .type = FlagType::kBool, .default_value = "false"},
                   "parameter_server");
  table.add_option({.name = "local_parameter_device",
                    .type = FlagType::kEnum,
                    .default_value = "gpu",
                    .allowed = {"cpu", "gpu"}},
                   "parameter_server");
  const auto values = parse({"--staged_vars", "--local_parameter_device=CPU"}, table);
  EXPECT_TRUE(values.boolean("staged_vars"));
  EXPECT_EQ(values.text("local_parameter_device"), "cpu");
  EXPECT_TRUE(values.notices.empty());
}

TEST(RunFlags, FirstPassFindsTheStrategyAmongUnknownFlags) {
  FlagParserOptions options;
  options.environment = [](const std::string&) { return std::nullopt; };
  options.tolerant = true;
  const std::vector<std::string> arguments = {"--my_option=3", "--variable_update", "mine",
                                              "--model=vgg16", "--plugin_path=/a:/b"};
  const auto values = parse_flags(plugin_flag_table(), arguments, options);
  EXPECT_EQ(values.text("variable_update"), "mine");
  EXPECT_EQ(values.text("model"), "vgg16");
  EXPECT_EQ(values.text("plugin_path"), "/a:/b");
}

}  // namespace
}  // namespace convoy
