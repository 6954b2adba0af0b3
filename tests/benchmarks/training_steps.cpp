#include "tests/benchmarks/training_steps.hpp"

#include "core/data/pipeline/dataset.hpp"
#include "core/data/pipeline/source_factory.hpp"

namespace convoy::benchmarks {
namespace {

// Small: synthetic images make many models diverge, and numbers that are not finite or denormal
// must not decide what a step costs.
constexpr double kLearningRate = 1e-6;

}  // namespace

TrainingSteps::TrainingSteps(runtime::Session& session) : session_(session) {
  data::DataOptions data;
  data.replicas = static_cast<int>(session.cluster().replicas());
  data.batch = static_cast<int>(session.options().batch);
  data.height = data.width = static_cast<int>(session.graph().image_size());
  data.classes = kClasses;
  source_ = data::make_source(data);
}

void TrainingSteps::submit() {
  runtime::StepInput input;
  input.learning_rate = kLearningRate;
  for (std::uint32_t replica = 0; replica < session_.cluster().replicas(); ++replica) {
    const data::Batch& batch = source_->acquire(static_cast<int>(replica), submitted_);
    input.batches.push_back({batch.images, batch.labels});
  }
  session_.executor().submit_step(input);
  ++submitted_;
}

double TrainingSteps::run(int steps) {
  const std::int64_t end = submitted_ + steps + 1;
  std::int64_t open = 0;
  double first_end = -1;
  double last_end = 0;
  while (submitted_ < end || open > 0) {
    for (; submitted_ < end && open < session_.executor().steps_in_flight(); ++open) submit();
    const runtime::StepResult& result = session_.executor().finish_step();
    for (std::uint32_t replica = 0; replica < session_.cluster().replicas(); ++replica)
      source_->release(static_cast<int>(replica), submitted_ - open);
    --open;
    if (first_end < 0) first_end = result.end;
    last_end = result.end;
  }
  return (last_end - first_end) / steps;
}

}  // namespace convoy::benchmarks
