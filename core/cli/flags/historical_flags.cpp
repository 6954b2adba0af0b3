// Flags of tf_cnn_benchmarks that convoy knows by name only.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/base/error.hpp"
#include "core/cli/flags/run_flags.hpp"

namespace convoy::cli {
namespace {

constexpr FlagType kBool = FlagType::kBool;
constexpr FlagType kInt = FlagType::kInt;
constexpr FlagType kFloat = FlagType::kFloat;
constexpr FlagType kString = FlagType::kString;

struct Row {
  const char* name;
  FlagType type;
  const char* default_value;  // null: unset
  const char* sentence;
};

constexpr const char* kNoBackbone =
    "it is about SSD models, and there are none; --init_weights reads weights";
constexpr const char* kWideVariables =
    "variables are 32-bit always: rounding them to 16 bits would lose small updates; use_fp16 "
    "alone converts them where they are used";
constexpr const char* kNoInputChoice = "not yet: the input pipeline has no such choice";
constexpr const char* kUseTraceFile = "not yet: use --trace_file=trace.json to see where time goes";

constexpr Row kNotYet[] = {
    {"backbone_model_path", kString, "", kNoBackbone},
    {"fp16_vars", kBool, "false", kWideVariables},
    {"input_preprocessor", kString, "default", kNoInputChoice},
    {"ml_perf", kBool, "false", kNoInputChoice},
    {"tfprof_file", kString, "", kUseTraceFile},
    {"use_chrome_trace_format", kBool, "true", "only Chrome's trace format is written"},
    {"graph_file", kString, "", "not yet: `convoy plan` shows what a step does"},
    {"sync_on_finish", kBool, "false", "not yet: devices meet only where the plan says so"},
    {"gpu_memory_frac_for_testing", kFloat, "0", "not yet: memory use cannot be limited"},
    {"use_unified_memory", kBool, "false", "not yet: GPU memory cannot be oversubscribed"},
};

constexpr const char* kDescribedHosts =
    "it describes machines to convoy plan, check and simulate; a run has the hosts of "
    "--worker_hosts and --ps_hosts";
constexpr const char* kTransports = "transports are chosen by --transport; leave it out";

constexpr Row kSeveralHosts[] = {
    {"hosts", kInt, "1", kDescribedHosts},
    {"server_protocol", kString, "grpc", kTransports},
    {"horovod_device", kString, "", kTransports},
};

constexpr const char* kNoTensorFlow = "it steers TensorFlow's graph compiler, and there is none";

constexpr Row kMeaningless[] = {
    {"xla", kBool, "false", kNoTensorFlow},
    {"xla_compile", kBool, "false", kNoTensorFlow},
    {"rewriter_config", kString, "", kNoTensorFlow},
    {"partitioned_graph_file_prefix", kString, "", kNoTensorFlow},
    {"trt_mode", kString, "", "TensorRT runs frozen TensorFlow graphs, and there are none"},
    {"collect_eval_results_async", kBool, "false", "it is about SSD models, and there are none"},
    {"debugger", kString, "", "it attaches TensorFlow's debugger; use gdb"},
    {"ml_perf_compliance_logging", kBool, "false", "its log format names TensorFlow's stages"},
};

constexpr const char* kOwnThreads = "ignored: devices and input have their own threads";
constexpr const char* kOneReader = "ignored: there is one input reader, with a reproducible order";
constexpr const char* kAlwaysAhead = "ignored: batches are always prepared ahead of their use";
constexpr const char* kAlwaysFused = "ignored: only the crop window is ever decoded";
constexpr const char* kOneWay = "ignored: convoy has one way to do this";
constexpr const char* kOwnMemory = "ignored: devices allocate what they need once";
constexpr const char* kLibraryChooses = "ignored: the device's library chooses its algorithms";
constexpr const char* kNoOpenMp = "ignored: use OMP_ variables in the environment";

constexpr const char* kUseOutputFile =
    "ignored: --output_file=run.json has the losses, speeds and norms of all steps";

constexpr Row kHarmless[] = {
    {"save_summaries_steps", kInt, "0", kUseOutputFile},
    {"summary_verbosity", kInt, "0", kUseOutputFile},
    {"benchmark_log_dir", kString, "", kUseOutputFile},
    {"benchmark_test_id", kString, "", kUseOutputFile},
    {"mkl", kBool, "false", "ignored: CPU devices always use oneDNN"},
    {"kmp_blocktime", kInt, "0", kNoOpenMp},
    {"kmp_affinity", kString, "granularity=fine,verbose,compact,1,0", kNoOpenMp},
    {"kmp_settings", kInt, "1", kNoOpenMp},
    {"num_inter_threads", kInt, "0", kOwnThreads},
    {"gpu_thread_mode", kString, "gpu_private", kOwnThreads},
    {"per_gpu_thread_count", kInt, "0", kOwnThreads},
    {"use_python32_barrier", kBool, "false", kOwnThreads},
    {"use_numa_affinity", kBool, "false", "ignored: CPU devices are always bound to their cores"},
    {"use_datasets", kBool, "true", kOneReader},
    {"batch_group_size", kInt, "1", kOneReader},
    {"datasets_parallel_interleave_cycle_length", kInt, nullptr, kOneReader},
    {"datasets_sloppy_parallel_interleave", kBool, "false", kOneReader},
    {"datasets_parallel_interleave_prefetch", kInt, nullptr, kOneReader},
    {"multi_device_iterator_max_buffer_size", kInt, "1", kOneReader},
    {"datasets_use_prefetch", kBool, "true", kAlwaysAhead},
    {"fuse_decode_and_crop", kBool, "true", kAlwaysFused},
    {"eval_dir", kString, "", "ignored: accuracies are printed and go to --output_file"},
    {"use_tf_layers", kBool, "true", kOneWay},
    {"use_resource_vars", kBool, "false", kOneWay},
    {"compute_lr_on_cpu", kBool, "false", kOneWay},
    {"sparse_to_dense_grads", kBool, "false", kOneWay},
    {"single_l2_loss_op", kBool, "false", kOneWay},
    {"enable_optimizations", kBool, "true", kOneWay},
    {"allow_growth", kBool, nullptr, kOwnMemory},
    {"timestamped_allocator", kBool, "false", kOwnMemory},
    {"force_gpu_compatible", kBool, "false", kOwnMemory},
    {"gpu_kt_max_interval", kInt, "0", kOwnMemory},
    {"gpu_kt_max_bytes", kInt, "0", kOwnMemory},
    {"gpu_kt_max_pending", kInt, "0", kOwnMemory},
    {"trt_max_workspace_size_bytes", kInt, "4294967296", kOwnMemory},
    {"autotune_threshold", kInt, nullptr, kLibraryChooses},
    {"batchnorm_persistent", kBool, "true", kLibraryChooses},
};

constexpr const char* kOtherStrategy = "";  // depends on the strategy, see below

constexpr Row kStrategyOptions[] = {
    {"local_parameter_device", kString, "gpu", kOtherStrategy},
    {"staged_vars", kBool, "false", kOtherStrategy},
    {"variable_consistency", kString, "strong", kOtherStrategy},
    {"cross_replica_sync", kBool, "true", kOtherStrategy},
    {"all_reduce_spec", kString, "", kOtherStrategy},
    {"gradient_repacking", kInt, "0", kOtherStrategy},
    {"compact_gradient_transfer", kBool, "true", kOtherStrategy},
    {"hierarchical_copy", kBool, "false", kOtherStrategy},
    {"network_topology", kString, "dgx1", kOtherStrategy},
    {"agg_small_grads_max_bytes", kInt, "0", kOtherStrategy},
    {"agg_small_grads_max_group", kInt, "10", kOtherStrategy},
    {"allreduce_merge_scope", kInt, "1", kOtherStrategy},
};

FlagDefinition definition(const Row& row) {
  FlagDefinition flag;
  flag.name = row.name;
  flag.type = row.type;
  if (row.default_value != nullptr) flag.default_value = row.default_value;
  flag.group = "tf_cnn_benchmarks";
  return flag;
}

void append_refused(std::vector<FlagDefinition>& flags, std::span<const Row> rows, ExitCode code) {
  for (const Row& row : rows) {
    FlagDefinition flag = definition(row);
    flag.refusal = row.sentence;
    flag.refusal_code = code;
    flags.push_back(std::move(flag));
  }
}

}  // namespace

std::vector<FlagDefinition> historical_flags() {
  std::vector<FlagDefinition> flags;
  append_refused(flags, kNotYet, ExitCode::kUsage);
  append_refused(flags, kSeveralHosts, ExitCode::kUsage);
  append_refused(flags, kMeaningless, ExitCode::kUsage);
  for (const Row& row : kHarmless) {
    FlagDefinition flag = definition(row);
    flag.notice = row.sentence;
    if (flag.name == "gpu_thread_mode") {
      flag.type = FlagType::kEnum;
      flag.allowed = {"gpu_private", "gpu_shared", "global"};
    }
    flags.push_back(std::move(flag));
  }
  return flags;
}

void refuse_historical_strategy(const std::string& name) {
  if (name == "kungfu")
    fail(
        ExitCode::kUsage,
        "--variable_update=kungfu: tf_cnn_benchmarks left it to another library; take horovod, one "
        "process per device and a ring through all, or distributed_all_reduce with an "
        "--all_reduce_spec");
}

void add_missing_strategy_flags(FlagTable& table, const std::string& strategy,
                                const std::map<std::string, OptionOwners>& owners) {
  std::vector<FlagDefinition> flags;
  append_refused(flags, kStrategyOptions, ExitCode::kUsage);
  for (FlagDefinition& flag : flags) {
    flag.refusal =
        "tf_cnn_benchmarks had this option, and no installed strategy has it; leave it out";
    if (flag.name == "local_parameter_device") {
      flag.type = FlagType::kEnum;
      flag.allowed = {"gpu", "cpu"};
    }
  }
  for (const auto& [name, owner] : owners) {
    if (table.contains(name)) continue;
    auto flag = std::ranges::find(flags, name, &FlagDefinition::name);
    if (flag == flags.end())
      flag = flags.insert(flags.end(),
                          FlagDefinition{.name = name, .type = owner.is_switch ? kBool : kString});
    flag->refusal = fmt::format(
        "--variable_update={} has no such option (`convoy info {}` lists those it has); leave it "
        "out, or take --variable_update={}",
        strategy, strategy, fmt::join(owner.strategies, " or "));
    flag->refusal_code = ExitCode::kUsage;
  }
  for (FlagDefinition& flag : flags)
    if (!table.contains(flag.name)) table.add(std::move(flag));
}

}  // namespace convoy::cli
