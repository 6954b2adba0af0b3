#pragma once

// The options of a job: plain data. Each has the meaning and the default of a flag of `convoy run`,
// whose help explains it; a comment names the flag where its name is another one. An unset optional
// or an empty text leaves the choice to the model, the data or the machine.

#include <convoy/abi.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

// How --variable_update=auto chooses.
enum class AutoMode {
  kCached,    // the stored choice of an earlier run in the same circumstances, else by simulation
  kSimulate,  // by simulation
  kMeasure,   // by simulation, then by trying the best while training
  kRule       // by rule of thumb
};

enum class InitializerChoice {
  kDefault,  // the layers' rules
  kHash,     // a fixed fill, for comparing programs
};

// What a run does, as the options say: see EvaluationOptions::mode().
enum class RunMode { kTraining, kTrainingAndEvaluation, kEvaluation, kForwardOnly };

// How the gradients of the replicas are combined. kMean is the default of every strategy, so that
// strategies can be compared. kSum multiplies the mean, weight decay included, by the number of
// replicas, as `replicated` of tf_cnn_benchmarks did.
enum class GradientScale { kMean, kSum };

// The update rule. The defaults are tf_cnn_benchmarks'.
struct OptimizerOptions {
  convoy_optimizer_kind kind = CONVOY_OPTIMIZER_SGD;  // --optimizer
  double momentum = 0.9;
  double rmsprop_decay = 0.9;
  double rmsprop_momentum = 0.9;
  double rmsprop_epsilon = 1.0;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double adam_epsilon = 1e-8;
  double weight_decay = 4e-5;
  std::optional<double> gradient_clip;  // bound on the magnitude of every element
  GradientScale gradient_scale = GradientScale::kMean;
};

// Everything unset: the model's rule decides.
struct LearningRateOptions {
  std::optional<double> init_learning_rate;
  std::string piecewise_learning_rate_schedule;  // "LR0;E1;LR1;...", E in whole epochs
  double num_epochs_per_decay = 0;
  double learning_rate_decay_factor = 0;
  double num_learning_rate_warmup_epochs = 0;
  double minimum_learning_rate = 0;
  std::optional<double> resnet_base_lr;  // replaces the base of a rule that scales with the batch
};

// What happens to gradients before they are applied.
struct GradientOptions {
  std::optional<double> clip_norm;      // --gradient_clip_norm
  std::optional<double> loss_scale;     // --fp16_loss_scale; unset: 128 with 16 bits, else 1
  bool automatic_loss_scale = false;    // --fp16_enable_auto_loss_scale
  std::uint64_t increase_every = 1000;  // --fp16_inc_loss_scale_every_n, in finite steps
  bool report_norms = false;            // --report_gradient_norms
};

// When training pauses for an evaluation: the flags --eval_during_training_... At most one is set.
// Steps and epochs are those of an uninterrupted run, without warm-up.
struct EvaluationTriggers {
  std::optional<std::int64_t> every_steps = {};
  std::optional<double> every_epochs = {};
  std::vector<std::int64_t> at_steps = {};
  std::vector<double> at_epochs = {};

  bool any() const {
    return every_steps || every_epochs || !at_steps.empty() || !at_epochs.empty();
  }
};

// Scoring a model instead of, or besides, training it.
struct EvaluationOptions {
  bool evaluate_only = false;         // --eval
  bool forward_only = false;          // inference on the training data
  std::int64_t interval_seconds = 0;  // --eval_interval_secs, with evaluate_only
  EvaluationTriggers triggers;
  std::optional<std::uint32_t> batch_size;  // --eval_batch_size, per device; unset: as in training
  std::optional<std::int64_t> num_batches;  // --num_eval_batches
  std::optional<double> num_epochs;         // --num_eval_epochs, of the validation data
  std::optional<double> stop_at_top_1;      // --stop_at_top_1_accuracy, a fraction

  RunMode mode() const {
    if (evaluate_only) return RunMode::kEvaluation;
    if (forward_only) return RunMode::kForwardOnly;
    return triggers.any() ? RunMode::kTrainingAndEvaluation : RunMode::kTraining;
  }
};

// Checkpoints, and weights from elsewhere.
struct CheckpointOptions {
  std::string train_dir;                      // empty: nothing is saved or resumed
  std::optional<std::int64_t> every_steps;    // --save_model_steps: counts timed steps
  std::optional<std::int64_t> every_seconds;  // --save_model_secs; both unset: only at the end
  std::int64_t keep = 5;                      // --max_ckpts_to_keep; 0: all
  bool continue_on_error = false;             // --on_save_error=continue
  std::string init_weights;                   // a safetensors file
  std::string weights_map;                    // a file, or the name of one in share/weights
};

// The machine for which a job is planned and simulated. Without platform and topology: this
// machine.
struct MachineOptions {
  std::string platform;                 // a name from share/platforms, or a file
  std::string topology;                 // a file of lstopo, NCCL, nvidia-smi or convoy topo
  std::optional<std::string> software;  // the program whose behaviour is simulated; unset: convoy
  std::optional<std::uint32_t> hosts;   // number of equal hosts; unset: one
  std::string worker_hosts;             // addresses separated by commas, or a number
  std::string ps_hosts;                 // the same for parameter servers
  std::optional<bool> peer_access;      // of devices about which nothing else is known
  std::optional<double> images_per_second;  // --images_per_sec, of one device in training
  std::string calibration_file;             // empty: where `convoy calibrate` writes it
};

// This process as one task of a run on several hosts. A run has only one process if there is no
// job_name and no launcher (mpirun, srun, RANK and WORLD_SIZE) has started several. The hosts are
// in MachineOptions::worker_hosts and ps_hosts.
struct TaskOptions {
  std::string job_name;  // "worker", "ps" or "controller"
  std::optional<std::int32_t> task_index;
  // Tasks of the run. The command line takes both numbers from the lists of hosts or the launcher.
  std::uint32_t workers = 1;
  std::uint32_t servers = 0;
  std::string controller_host;          // where the tasks meet; empty: at worker 0
  std::vector<std::string> transports;  // --transport: names or paths; empty: best for each pair
  std::uint32_t network_channels = 4;   // over which a large message is divided
  double join_timeout = 60;             // seconds, for all tasks to come
  double peer_timeout = 4;              // seconds of silence after which a task counts as dead
  std::uint32_t restarts = 0;           // how many lost tasks may be replaced
  std::string advertise_address;        // at which others reach this task; empty: detected
  std::string certificate;              // files in PEM form; all three or none
  std::string private_key;
  std::string certificate_authority;
  bool insecure_network = false;  // allows unencrypted bytes between machines

  std::uint32_t tasks() const { return workers + servers; }
};

// One job.
struct JobOptions {
  std::string model = "resnet50";
  // Per device. Unset: the model's default, or fewer on CPU devices where steps would be slow.
  std::optional<std::uint32_t> batch_size;
  std::optional<std::int64_t> num_batches;
  std::optional<double> num_epochs;
  std::optional<std::int64_t> num_warmup_batches;  // unset: 10, fewer where steps are slow

  std::string device = "auto";               // a plug-in's name or path, or "auto"
  std::optional<std::uint32_t> num_devices;  // unset: all of the chosen kind
  std::vector<std::string> device_order;     // --gpu_indices: numbers or ids; empty: 0, 1 ...
  std::uint32_t threads_per_device = 0;      // --num_intra_threads
  bool half = false;                         // --use_fp16: compute in the devices' 16-bit type

  std::string data_dir;  // empty: synthetic data
  std::string data_name;
  std::string data_format = "NCHW";  // named in the report only
  std::string resize_method = "bilinear";
  std::string on_bad_record = "fail";
  bool distortions = false;
  bool distort_in_yiq = true;                 // --distort_color_in_yiq
  bool input_only = false;                    // no devices: measures the speed of the input
  std::string dump_file;                      // --dump, with input_only: *.safetensors
  bool cache_records = false;                 // --datasets_use_caching
  bool repeat_one_record = false;             // --datasets_repeat_cached_sample
  std::optional<std::int32_t> input_threads;  // unset: the cores that do not compute
  std::int32_t prefetch_depth = 2;            // batches per device

  std::string variable_update = "auto";    // a strategy's name or path, or "auto"
  AutoMode auto_mode = AutoMode::kCached;  // --auto
  bool auto_inexact = false;               // auto may take strategies whose step is not synchronous
  std::optional<bool> use_nccl;
  std::optional<double> bucket_mb;  // 2^20 bytes; 0: one bucket; unset: 16, or auto's choice
  // Options that the chosen strategy, model and device declare, as their manifests spell them.
  std::map<std::string, std::string> plugin_options;

  OptimizerOptions optimizer;
  GradientOptions gradients;
  LearningRateOptions learning_rate;
  EvaluationOptions evaluation;
  CheckpointOptions checkpoints;
  MachineOptions machine;
  TaskOptions task;

  std::int64_t display_every = 10;
  std::optional<double> display_perf_ewma;
  std::string loss_type_to_report = "total_loss";  // or "base_loss"
  bool print_training_accuracy = false;
  std::string output_file;
  std::string trace_file;
  std::string report_file;       // --report: a page, *.html
  bool record_timeline = false;  // implied by report_file
  // Whether JobResult::steps keeps the timed steps even if neither output_file nor report_file
  // needs them. Each takes about 170 bytes.
  bool keep_steps = true;
  bool profile = false;

  std::uint32_t seed = 1234;
  InitializerChoice initializer = InitializerChoice::kDefault;
  bool dropout = true;
  bool winograd = true;  // --winograd_nonfused
  bool deterministic = false;
  bool print_parameter_hash = false;  // implied by deterministic
  std::string plugin_path;            // folders separated by colons, searched first
  double plugin_timeout = 10;         // seconds, for plug-ins that did not come with convoy

  // Every flag's value as text, for records and checkpoints; the command line fills it in.
  std::map<std::string, std::string> settings;
};

}  // namespace convoy
