#pragma once

#include <convoy/job_result.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::report {

// The content of the lines before the first step.
struct ConsoleHeader {
  std::string version;  // of convoy
  std::string model;
  std::string dataset;  // "imagenet"
  bool synthetic = true;
  std::string mode = "training";
  std::int64_t global_batch = 0;
  std::int64_t batch_per_device = 0;
  std::int64_t num_batches = 0;
  double num_epochs = 0;
  std::vector<std::string> devices;  // "/gpu:0", "/cpu:1"
  bool bound_to_numa_nodes = false;
  std::string data_format;
  std::string optimizer;
  std::string strategy;  // name of the strategy that runs, never "auto"
  // Further lines of the strategy, such as {"AllReduce", "nccl"}, printed below its name.
  std::vector<std::pair<std::string, std::string>> strategy_details;
};

// The phases of a run.
enum class RunPhase {
  kGeneratingModel,
  kGeneratingEvaluationModel,
  kInitializing,
  kWarmingUp,
  kWarmedUp,
  kTrainingResumes,  // after an evaluation
  kTrainingDone,     // a run that only trains has its total here, before the final evaluation
};

// The observer of a run. Its functions are called on the thread of the run, in the order of events.
// Functions that are not overridden do nothing.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  virtual void header(const ConsoleHeader&) {}
  virtual void enters(RunPhase) {}
  // Called before the first step that is displayed.
  virtual void columns() {}
  virtual void timed_step(const TrainingStep&) {}
  // A step that is due for display: its number, the speed of all steps so far, the requested loss,
  // and the accuracy if it was requested.
  virtual void step(std::int64_t /*step*/, const Speed&, double /*loss*/,
                    std::optional<Accuracy> = {}) {}
  virtual void total(double /*images_per_second*/) {}
  // A further requested result, after the total: a line, or a table of several.
  virtual void result(const std::string& /*text*/) {}

  // Called when an evaluation loads the model of this checkpoint.
  virtual void model_loaded(const std::string& /*path*/) {}
  // The speed of an evaluation since the last such call. Steps count from 1.
  virtual void evaluation_step(std::int64_t /*step*/, double /*examples_per_second*/) {}
  virtual void accuracy(const Accuracy&, std::int64_t /*examples*/) {}
  virtual void no_checkpoint(const std::string& /*folder*/) {}
  // Called around an evaluation during training. global_step counts all updates so far.
  virtual void evaluation_begins(std::int64_t /*global_step*/, bool /*final*/) {}
  virtual void target_reached(double /*top_1*/) {}

  // A progress text for people. It replaces the previous one.
  virtual void progress(const std::string& /*text*/) {}
  // A sentence for people about this run.
  virtual void notice(const std::string& /*text*/) {}
  // A sentence for users who want to know more (--verbose).
  virtual void detail(const std::string& /*text*/) {}
  // Asked between steps. kOk: the run goes on; else the reason for which it ends after the steps in
  // progress.
  virtual ExitCode interruption() const { return ExitCode::kOk; }
  // Returns, in a word for people, what asked for the end.
  virtual std::string interrupted_by() const { return "its program"; }
  // Asked between steps: returns whether a checkpoint is wanted now, once per request.
  virtual bool take_save_request() { return false; }
  // Asked between steps: returns whether the run should stand still. A run of one process does so
  // after that step by calling stand_still(). This time is part of no step and of no total.
  virtual bool take_standstill_request() { return false; }
  virtual void stand_still() {}
};

}  // namespace convoy::report
