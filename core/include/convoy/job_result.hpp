#pragma once

// The result of a job: plain data.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

// One training step, once it is finished.
struct TrainingStep {
  std::int64_t number = 0;  // timed steps count from 1; warm-up steps are -warmup ... -1
  double seconds = 0;     // from the completion of the previous step to the completion of this one
  double base_loss = 0;   // mean over the replicas of all hosts of softmax cross-entropy
  double own_loss = 0;    // the same over the replicas of this host; 0 when it has none
  double total_loss = 0;  // plus the L2 term
  double learning_rate = 0;
  double input_wait_seconds = 0;  // part of seconds with no step in progress and no images ready
  std::optional<double> top_1;    // fractions of the step's images
  std::optional<double> top_5;
  // Euclidean norms of the gradients before weight decay, per variable of the graph and of the
  // whole gradient; empty unless requested.
  std::vector<double> gradient_norms;
  std::optional<double> gradient_norm;
  std::optional<double> loss_scale;  // of this step, where losses are scaled
};

// Speed over all timed steps, in images per second.
struct Speed {
  double mean = 0;            // images per step / average step time
  double standard_error = 0;  // of the mean of the per-step speeds
  double jitter = 0;          // 1.4826 * median absolute deviation of the per-step speeds
};

// Step times in seconds.
struct StepTimes {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double maximum = 0;
};

// Fractions of images.
struct Accuracy {
  double top_1 = 0;
  double top_5 = 0;
};

struct DeviceRecord {
  std::string name;  // "cpu:0"
  std::string kind;  // name of the device plug-in
  std::string model;
  std::string locality;
  std::uint32_t threads = 0;       // CPU devices
  std::uint64_t memory_bytes = 0;  // 0 = unknown
};

// One pass over validation data.
struct EvaluationRecord {
  // During training: the number of timed steps before it. Otherwise the checkpoint's global step.
  std::int64_t step = 0;
  std::int64_t global_step = 0;
  Accuracy accuracy;
  std::int64_t examples = 0;
  double seconds = 0;
  double examples_per_second = 0;
  std::string checkpoint;  // the file that was evaluated; empty during training
};

// Another task of a run on several hosts, as this one saw it.
struct PeerRecord {
  std::string task;              // "worker 1 (host7, pid 4711)"
  std::string transport;         // "shm"
  std::uint64_t bytes_sent = 0;  // to it, since the run began
  std::uint64_t bytes_received = 0;
  // Measured before the first step: the quickest round trip, and the rate to the other task.
  double round_trip_seconds = 0;
  double bytes_per_second = 0;
};

// A worker of an asynchronous run; each worker takes its own steps.
struct WorkerRecord {
  std::uint32_t worker = 0;  // its number
  std::int64_t steps = 0;    // timed steps
  double seconds = 0;        // from the end of warm-up to the end of its last timed step
  double images_per_second = 0;
  // Staleness is the number of updates between reading a variable and applying the gradient
  // computed with it. Maps each staleness to how often it occurred; warm-up steps are left out.
  std::map<std::uint64_t, std::uint64_t> staleness;
};

struct JobResult {
  std::string model;
  std::string dataset;
  bool synthetic_data = true;
  std::string mode = "training";  // as the header of the run says
  std::string strategy;
  std::map<std::string, std::string> strategy_options;
  std::string strategy_verdict;  // what the checker proved, for example "synchronous"
  std::string plan_hash;         // of the lowered plan; empty: nothing was planned
  std::string optimizer;
  std::string compute_dtype = "f32";  // of activations and operands: "f32", "bf16" or "f16"
  std::vector<DeviceRecord> devices;
  std::int64_t batch_per_device = 0;
  std::int64_t global_batch = 0;
  std::int64_t parameters = 0;
  std::int64_t warmup_steps = 0;
  std::vector<std::string> gradient_names;  // variables whose gradients' norms steps report
  std::vector<TrainingStep> steps;          // timed ones; JobOptions::keep_steps
  std::vector<EvaluationRecord> evaluations;
  std::vector<PeerRecord> peers;  // of runs on several hosts
  // How often a lost task was replaced. The other fields count from the last replacement.
  std::uint32_t restarts = 0;
  std::vector<WorkerRecord> workers;  // all workers of an asynchronous run
  double total_seconds = 0;
  double total_images_per_second = 0;
  Speed speed;
  StepTimes step_times;
  std::string parameter_hash;  // of the trained parameters; empty unless requested
  std::vector<std::string> notices;
  int exit_status = 0;  // as on the command line: 0 = success
  bool interrupted = false;
  std::string error;  // why the run failed; empty when it did not
};

}  // namespace convoy
