#include "core/runtime/asynchronous/strand_run.hpp"

#include <algorithm>

#include "core/runtime/step_end.hpp"

namespace convoy::runtime {

StrandRun::StrandRun(Session& session, Executor& executor, data::BatchSource& source,
                     std::int64_t first_step)
    : session_(session), executor_(executor), source_(source), first_step_(first_step) {
  for (const std::uint32_t replica : executor.replicas())
    if (std::ranges::count(session.local_replicas(), replica) > 0) replicas_.push_back(replica);
}

bool StrandRun::input_is_ready() {
  if (!input_asked_) input_asked_ = session_.devices()->now();
  return std::ranges::all_of(replicas_, [&](std::uint32_t replica) {
    return source_.is_ready(static_cast<int>(replica), first_step_ + submitted_);
  });
}

void StrandRun::submit(double learning_rate) {
  StrandStep step;
  step.number = submitted_;
  step.learning_rate = learning_rate;
  step.input_asked = input_asked_.value_or(session_.devices()->now());
  input_asked_.reset();
  input_.learning_rate = learning_rate;
  input_.batches.assign(session_.cluster().replicas(), {});
  for (const std::uint32_t replica : replicas_) {
    const data::Batch& batch = source_.acquire(static_cast<int>(replica), first_step_ + submitted_);
    input_.batches[replica] = {batch.images, batch.labels};
    step.images += batch.count;
  }
  step.input_ready = session_.devices()->now();
  executor_.submit_step(input_);
  open_.push_back(std::move(step));
  ++submitted_;
}

StrandStep StrandRun::finish() {
  StrandStep step = std::move(open_.front());
  const StepResult& result = executor_.finish_step();
  open_.pop_front();
  ++finished_;
  for (const std::uint32_t replica : replicas_)
    source_.release(static_cast<int>(replica), first_step_ + step.number);
  step.totals = local_totals(result, replicas_, step.images);
  step.begin = last_end_;
  step.end = last_end_ = end_of_step(result.end, last_end_, session_.devices()->now());
  return step;
}

}  // namespace convoy::runtime
