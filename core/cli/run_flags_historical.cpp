#include <initializer_list>

#include "core/cli/run_flags.hpp"

namespace convoy {
namespace {

using enum FlagType;

// name, type, value that changes nothing ("" for unset)
struct Historical {
  const char* name;
  FlagType type;
  const char* harmless = "";
};

void add_all(FlagTable& table, FlagStatus status, const char* reason,
             std::initializer_list<Historical> flags) {
  for (const auto& flag : flags) {
    FlagDefinition definition = {.name = flag.name, .type = flag.type};
    if (*flag.harmless != '\0') definition.default_value = flag.harmless;
    definition.status = status;
    definition.reason = reason;
    table.add(std::move(definition));
  }
}

void add_not_yet(FlagTable& table) {
  constexpr auto kStatus = FlagStatus::kNotYet;
  add_all(table, kStatus, "convoy trains and measures, it does not evaluate",
          {{"eval", kBool, "false"},
           {"eval_interval_secs", kInteger, "0"},
           {"eval_during_training_every_n_steps", kInteger},
           {"eval_during_training_every_n_epochs", kFloat},
           {"eval_during_training_at_specified_steps", kString},
           {"eval_during_training_at_specified_epochs", kString},
           {"eval_batch_size", kInteger, "0"},
           {"num_eval_batches", kInteger},
           {"num_eval_epochs", kFloat},
           {"stop_at_top_1_accuracy", kFloat},
           {"eval_dir", kString}});
  add_all(table, kStatus, "convoy measures whole training steps",
          {{"forward_only", kBool, "false"}, {"freeze_when_forward_only", kBool, "false"}});
  add_all(table, kStatus, "there are no checkpoints",
          {{"train_dir", kString},
           {"save_model_secs", kInteger, "0"},
           {"save_model_steps", kInteger},
           {"backbone_model_path", kString}});
  add_all(table, kStatus, "training is in 32 bits",
          {{"use_fp16", kBool, "false"},
           {"fp16_vars", kBool, "false"},
           {"fp16_enable_auto_loss_scale", kBool, "false"}});
  add_all(table, kStatus, "a run has one host",
          {{"job_name", kString},
           {"ps_hosts", kString},
           {"worker_hosts", kString},
           {"controller_host", kString},
           {"task_index", kInteger, "0"},
           {"server_protocol", kString, "grpc"}});
  add_all(table, kStatus, "use --output_file for results",
          {{"benchmark_log_dir", kString},
           {"summary_verbosity", kInteger, "0"},
           {"save_summaries_steps", kInteger, "0"}});
  add_all(table, kStatus, "use --trace_file or `convoy plan` to look inside a step",
          {{"tfprof_file", kString}, {"graph_file", kString}});
  add_all(table, kStatus, "the input pipeline cannot do that",
          {{"datasets_repeat_cached_sample", kBool, "false"},
           {"ml_perf", kBool, "false"},
           {"input_preprocessor", kString, "default"}});
  add_all(table, kStatus, "devices allocate what a step needs and no more",
          {{"use_unified_memory", kBool, "false"}, {"gpu_memory_frac_for_testing", kFloat, "0"}});
}

void add_meaningless(FlagTable& table) {
  constexpr auto kStatus = FlagStatus::kMeaningless;
  add_all(table, kStatus, "there is no XLA compiler, devices compile the layers themselves",
          {{"xla", kBool, "false"}, {"xla_compile", kBool, "false"}});
  add_all(table, kStatus, "there is no TensorRT",
          {{"trt_mode", kString}, {"trt_max_workspace_size_bytes", kInteger, "4294967296"}});
  add_all(table, kStatus, "there is no TensorFlow graph to debug, rewrite or dump",
          {{"debugger", kString},
           {"rewriter_config", kString},
           {"partitioned_graph_file_prefix", kString}});
  add_all(table, kStatus, "a trace is always written in Chrome's format",
          {{"use_chrome_trace_format", kBool, "true"}});
  add_all(table, kStatus, "it belongs to detection models, of which there are none",
          {{"collect_eval_results_async", kBool, "false"}});
  add_all(table, kStatus, "no MLPerf log lines are written",
          {{"ml_perf_compliance_logging", kBool, "false"}});
  add_all(table, kStatus, "reductions are chosen by the strategy, not delegated to Horovod",
          {{"horovod_device", kString}});
}

void add_ignored(FlagTable& table) {
  constexpr auto kStatus = FlagStatus::kIgnored;
  add_all(table, kStatus, "the CPU device sets up oneDNN and its threads by itself",
          {{"mkl", kBool, "false"},
           {"kmp_blocktime", kInteger, "0"},
           {"kmp_affinity", kString, "granularity=fine,verbose,compact,1,0"},
           {"kmp_settings", kInteger, "1"},
           {"num_inter_threads", kInteger, "0"},
           {"use_numa_affinity", kBool, "false"}});
  add_all(table, kStatus, "it chooses between two ways inside TensorFlow with the same result",
          {{"use_tf_layers", kBool, "true"},
           {"use_resource_vars", kBool, "false"},
           {"use_python32_barrier", kBool, "false"},
           {"compute_lr_on_cpu", kBool, "false"},
           {"sparse_to_dense_grads", kBool, "false"},
           {"single_l2_loss_op", kBool, "false"},
           {"enable_optimizations", kBool, "true"},
           {"distort_color_in_yiq", kBool, "true"}});
  add_all(table, kStatus, "devices manage memory and launches by themselves",
          {{"allow_growth", kBool},
           {"timestamped_allocator", kBool, "false"},
           {"gpu_kt_max_interval", kInteger, "0"},
           {"gpu_kt_max_bytes", kInteger, "0"},
           {"gpu_kt_max_pending", kInteger, "0"},
           {"gpu_thread_mode", kString, "gpu_private"},
           {"per_gpu_thread_count", kInteger, "0"},
           {"force_gpu_compatible", kBool, "false"},
           {"winograd_nonfused", kBool, "true"},
           {"batchnorm_persistent", kBool, "true"},
           {"sync_on_finish", kBool, "false"}});
  add_all(table, kStatus, "there is one input pipeline, with its own buffers",
          {{"use_datasets", kBool, "true"},
           {"datasets_use_prefetch", kBool, "true"},
           {"datasets_use_caching", kBool, "false"},
           {"datasets_parallel_interleave_cycle_length", kInteger},
           {"datasets_sloppy_parallel_interleave", kBool, "false"},
           {"datasets_parallel_interleave_prefetch", kInteger},
           {"multi_device_iterator_max_buffer_size", kInteger, "1"},
           {"batch_group_size", kInteger, "1"}});
  add_all(table, kStatus, "it qualifies something that is switched off",
          {{"max_ckpts_to_keep", kInteger, "5"},
           {"fp16_loss_scale", kFloat},
           {"fp16_inc_loss_scale_every_n", kInteger, "1000"},
           {"benchmark_test_id", kString}});
}

// Strategies bring these as options of their own; the entries here are what is left when none of
// the selected ones does. Those that only change speed are harmless, the others are not.
void add_strategy_options(FlagTable& table) {
  add_all(table, FlagStatus::kIgnored, "the selected strategy has no such option",
          {{"local_parameter_device", kString, "gpu"},
           {"all_reduce_spec", kString},
           {"hierarchical_copy", kBool, "false"},
           {"network_topology", kString, "dgx1"},
           {"gradient_repacking", kInteger, "0"},
           {"compact_gradient_transfer", kBool, "true"},
           {"agg_small_grads_max_bytes", kInteger, "0"},
           {"agg_small_grads_max_group", kInteger, "10"},
           {"allreduce_merge_scope", kInteger, "1"}});
  add_all(table, FlagStatus::kMeaningless,
          "the selected strategy has no such option, and without it training would differ; "
          "`convoy list` shows the strategies, `convoy info` their options",
          {{"variable_consistency", kString, "strong"},
           {"staged_vars", kBool, "false"},
           {"cross_replica_sync", kBool, "true"}});
}

}  // namespace

void add_historical_flags(FlagTable& table) {
  add_not_yet(table);
  add_meaningless(table);
  add_ignored(table);
  add_strategy_options(table);
}

}  // namespace convoy
