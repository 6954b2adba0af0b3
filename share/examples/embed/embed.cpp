// convoy in a program of your own: the plan that a job would execute, its speed on another machine,
// and the training itself.
#include <convoy/job.hpp>
#include <cstdio>

namespace {

class Printer : public convoy::JobObserver {
 public:
  void timed_step(const convoy::TrainingStep& step) override {
    std::printf("step %d: loss %.3f\n", static_cast<int>(step.number), step.total_loss);
  }
  void notice(const std::string& text) override { std::printf("(%s)\n", text.c_str()); }
};

int work() {
  convoy::JobOptions options;
  options.model = "lenet";
  options.device = "cpu";
  options.num_devices = 2;
  options.batch_size = 8;
  options.num_batches = 5;
  options.variable_update = "replicated";
  options.learning_rate.init_learning_rate = 1e-4;

  convoy::Job job(options);
  const convoy::PlannedJob planned = job.plan();
  std::printf("%s: %s, plan %s\n", planned.strategy.c_str(), planned.verdict.c_str(),
              planned.hash.c_str());

  convoy::JobOptions elsewhere = options;
  elsewhere.device = "auto";
  elsewhere.num_devices = 8;
  elsewhere.machine.platform = "dgx1-p100";
  const convoy::SimulatedJob simulated = convoy::Job(elsewhere).simulate();
  std::printf("%u devices of %s: %.0f images/s\n", simulated.devices, simulated.machine.c_str(),
              simulated.images_per_second);

  Printer printer;
  const convoy::JobResult result = job.run(printer);
  std::printf("%.1f images/s, plan %s\n", result.total_images_per_second, result.plan_hash.c_str());
  return result.exit_status;
}

}  // namespace

int main() {
  try {
    return work();
  } catch (const convoy::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
  }
}
