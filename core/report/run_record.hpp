#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/report/console.hpp"
#include "core/report/speed_statistics.hpp"

namespace convoy {

// Raised whenever a field of the output files changes its name or meaning.
constexpr int kRunRecordSchemaVersion = 1;

// One timed step.
struct StepRecord {
  std::int64_t step = 0;  // from 1
  double seconds = 0;     // wall time, the wait for input included
  double images_per_second = 0;
  double loss = 0;       // the one reported on the console, in full precision
  double base_loss = 0;  // without the L2 term
  double learning_rate = 0;
  double input_wait_seconds = 0;  // part of `seconds` spent waiting for input
  std::optional<Accuracy> accuracy = {};
};

// Everything a run has to say once it is over, whether it ended well or not.
struct RunRecord {
  std::map<std::string, std::string> environment;  // host name, kernel, processor, library versions
  std::vector<std::string> command_line;
  std::map<std::string, std::string> flags;  // effective values, of this run's whole flag table
  std::string version;
  std::string start_time;  // ISO 8601, UTC
  std::string model;
  std::string dataset;
  std::vector<std::string> devices;
  std::string strategy;
  std::string strategy_claim;  // what the checker found: "synchronous", "stale by 1", ...
  std::string optimizer;
  std::int64_t device_batch = 0;
  std::int64_t global_batch = 0;
  std::int64_t num_warmup_batches = 0;
  std::int64_t parameters = 0;  // trainable elements of one replica

  std::vector<StepRecord> steps;
  double total_seconds = 0;  // of the timed loop, with what happens between the steps
  double total_images_per_second = 0;
  std::optional<Speed> speed = {};                      // empty without a timed step
  std::optional<StepTimePercentiles> percentiles = {};  // of step seconds
  int exit_status = 0;
  bool interrupted = false;
  std::string error;  // empty when the run ended well
};

// Writes the record as the suffix asks: .json, one object with an array of steps; .jsonl, one
// object for each step and a summary object last; .csv, one row for each step. Numbers are written
// so that they read back to the same double (17 significant digits in CSV); what is not finite
// becomes null in JSON. Fails with kUsage for another suffix, kUnavailable for an unwritable path.
void write_run_record(const RunRecord& record, const std::filesystem::path& path);

// The same two failures, found before a run rather than after it.
void check_run_record_path(const std::filesystem::path& path);

}  // namespace convoy
