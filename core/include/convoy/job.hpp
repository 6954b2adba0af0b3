#pragma once

// convoy as a library: link convoy::engine and train, plan, check and simulate without a command
// line. It finds plug-ins, catalogue and platforms relative to its own installed files.

#include <convoy/error.hpp>
#include <convoy/job_options.hpp>
#include <convoy/job_result.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace convoy {

// Observes a job. Its functions are called on the thread that runs the job and must not throw.
// While they run, the devices already compute the next step. A call that takes longer than that
// step delays the step after it and counts in its time.
class JobObserver {
 public:
  virtual ~JobObserver() = default;
  virtual void timed_step(const TrainingStep&) {}
  // A sentence for the user, for example what was chosen, or what may be slow and why.
  virtual void notice(const std::string&) {}
  // True ends the job after the steps in progress, with the results so far.
  virtual bool stop_requested() { return false; }
};

// The plan that a job executes in a step, and the checker's verdict.
struct PlannedJob {
  std::string strategy;  // with its options, as flags
  std::string verdict;   // "synchronous", "stale by 1" ..., or why it is wrong
  bool right = false;    // the checker found nothing wrong, perhaps because it proved nothing
  std::string hash;     // of the lowered plan, 16 hexadecimal digits: equal plans have equal hashes
  std::string logical;  // the plan as the strategy wrote it, one operation per line
  std::string lowered;  // the plan that runs, with lanes and waits
};

// The simulator's prediction of a job.
struct SimulatedJob {
  std::string machine;  // "dgx1-p100"
  std::uint32_t devices = 0;
  double images_per_second = 0;  // of all devices
  double step_seconds = 0;
  double compute_seconds = 0;  // of the step
  double exposed_seconds = 0;  // communication that does not overlap with computation
  std::string bottleneck;
  std::string plan_hash;
};

// One job. Functions may be called any number of times, from one thread at a time. Each opens the
// plug-ins and devices that it needs and leaves nothing running. All throw convoy::Error, whose
// code is the exit code of `convoy` for the same failure: kUsage for options that are out of
// bounds or contradict each other, kUnavailable for plug-ins and devices that do not exist or
// cannot be used and for jobs that do not fit into memory, and kNumerical, kTimeout and kFailed for
// the failures that they name.
class Job {
 public:
  explicit Job(JobOptions options);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Trains, or evaluates or measures if the options say so. Writes the files that the options name.
  // The observer is used during the call only.
  JobResult run();
  JobResult run(JobObserver& observer);

  // Plans for this machine's devices, or for the machine that options().machine describes.
  PlannedJob plan() const;
  // Simulates the job on the same machine. Throws Error (kUnavailable) when the job does not fit
  // its memory.
  SimulatedJob simulate() const;

  const JobOptions& options() const { return options_; }

 private:
  JobOptions options_;
};

}  // namespace convoy
