#include "core/job/input_only.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "core/base/error.hpp"

namespace convoy::job {
namespace {

double processor_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void check_input_only(const JobOptions& options) {
  if (options.data_dir.empty()) {
    fail(ExitCode::kUsage,
         "--input_only measures how fast images are read and prepared, and there is no --data_dir: "
         "synthetic images are made once; name a folder with data");
  }
  if (options.evaluation.mode() != RunMode::kTraining) {
    fail(ExitCode::kUsage,
         "--input_only measures the input of training: leave out --eval, --forward_only and "
         "evaluations during training");
  }
}

InputSpeed measure_input(BatchSource& source, const DataOptions& options,
                         const InputOnlySteps& steps, const InputStepEvent& event) {
  using Clock = std::chrono::steady_clock;
  InputSpeed speed;
  speed.threads = options.threads;
  speed.cores = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, options.threads);
  Clock::time_point begin = Clock::now(), last = begin;
  double processor_begin = processor_seconds();
  for (std::int64_t i = -steps.warmup; i < steps.timed; ++i) {
    if (i == 0) {
      begin = last = Clock::now();
      processor_begin = processor_seconds();
    }
    const std::int64_t step = options.first_step + steps.warmup + i;
    for (int replica = 0; replica < options.replicas; ++replica) {
      const std::int64_t count = source.acquire(replica, step).count;
      if (i >= 0) speed.images += count;
      source.release(replica, step);
    }
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    if (i >= 0) speed.seconds = std::chrono::duration<double>(now - begin).count();
    if (!event(i < 0 ? i : i + 1, seconds)) break;
  }
  speed.processor_seconds = processor_seconds() - processor_begin;
  return speed;
}

}  // namespace convoy::job
