#pragma once

// convoy as a library: link convoy::engine and train, plan, check and simulate without a command
// line. It finds plug-ins, catalogue and platforms beside itself, as it was installed.

#include <convoy/error.hpp>
#include <convoy/job_options.hpp>
#include <convoy/job_result.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace convoy {

// Whoever watches a job. Called on the thread that runs it, between steps: what it takes there is
// part of no step's time. It must not throw.
class JobObserver {
 public:
  virtual ~JobObserver() = default;
  virtual void timed_step(const TrainingStep&) {}
  // A sentence for people: what was chosen, what may be slow and why.
  virtual void notice(const std::string&) {}
  // Asked between steps: true ends the job after those under way, with what there is so far.
  virtual bool stop_requested() { return false; }
};

// What a job executes per step, and what the checker proves of it.
struct PlannedJob {
  std::string strategy;  // with its options, as flags
  std::string verdict;   // "synchronous", "stale by 1" ..., or why it is wrong
  bool right = false;    // the checker found nothing wrong
  std::string hash;      // of the lowered plan, 16 hexadecimal digits: equal where the same runs
  std::string logical;   // the plan as the strategy wrote it, one operation per line
  std::string lowered;   // what runs, with lanes and waits
};

// A job as the simulator foresees it.
struct SimulatedJob {
  std::string machine;  // "dgx1-p100"
  std::uint32_t devices = 0;
  double images_per_second = 0;  // of all devices
  double step_seconds = 0;
  double compute_seconds = 0;  // of the step
  double exposed_seconds = 0;  // communication that nothing hides
  std::string bottleneck;
  std::string plan_hash;
};

// One job. Functions may be called any number of times, from one thread at a time; each opens the
// plug-ins and devices that it needs and leaves nothing running. All throw convoy::Error, whose
// code is the exit code that `convoy` would end with: kUsage for options that contradict each
// other or name what does not exist, kUnavailable for plug-ins and devices that cannot be used,
// kNumerical, kTimeout, kFailed as they say.
class Job {
 public:
  explicit Job(JobOptions options);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Trains, or what else the options ask for. Writes output_file and trace_file where they are set.
  JobResult run();
  JobResult run(JobObserver& observer);

  // For this machine's devices, or for the machine that options().machine describes.
  PlannedJob plan() const;
  // Likewise. Error kFailed when the job does not fit its memory.
  SimulatedJob simulate() const;

  const JobOptions& options() const { return options_; }

 private:
  JobOptions options_;
};

}  // namespace convoy
