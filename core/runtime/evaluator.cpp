#include "core/runtime/evaluator.hpp"

#include <deque>

#include "core/base/error.hpp"

namespace convoy::runtime {
namespace {

SessionOptions counting(SessionOptions options) {
  options.accuracy = true;
  options.dropout = false;
  return options;
}

// One evaluation, from the first submission to the last batch.
class Scoring {
 public:
  Scoring(Session& session, data::BatchSource& source, const EvaluationEvents& events)
      : session_(session), source_(source), events_(events) {}

  // Batches may be freed once this returns or throws.
  Evaluation run(std::int64_t steps) {
    try {
      run_steps(steps);
    } catch (...) {
      session_.executor().drain();
      throw;
    }
    if (finished_ > 0 && result_.examples == 0)
      fail(ExitCode::kFailed,
           "none of the images of the validation data can be used, so that there is no accuracy; "
           "without --on_bad_record=skip the first of them is named");
    if (result_.examples > 0) {
      result_.top_1 /= static_cast<double>(result_.examples);
      result_.top_5 /= static_cast<double>(result_.examples);
    }
    return result_;
  }

 private:
  void run_steps(std::int64_t steps) {
    started_ = last_report_ = session_.devices()->now();
    const auto depth = static_cast<std::size_t>(session_.executor().steps_in_flight());
    while (finished_ < steps && !(result_.stopped && images_.empty())) {
      while (!result_.stopped && submitted_ < steps && images_.size() < depth) submit();
      finish();
      if (events_.stop_requested && events_.stop_requested()) result_.stopped = finished_ < steps;
    }
  }

  void submit() {
    StepInput input;
    std::int64_t images = 0;
    for (std::uint32_t replica = 0; replica < session_.cluster().replicas(); ++replica) {
      const data::Batch& batch = source_.acquire(static_cast<int>(replica), submitted_);
      input.batches.push_back({batch.images, batch.labels});
      images += batch.count - batch.left_out;
    }
    session_.executor().submit_step(input);
    images_.push_back(images);
    ++submitted_;
  }

  void finish() {
    const StepResult& step = session_.executor().finish_step();
    const std::int64_t images = images_.front();
    images_.pop_front();
    for (std::uint32_t replica = 0; replica < session_.cluster().replicas(); ++replica)
      source_.release(static_cast<int>(replica), finished_);
    ++finished_;
    for (const auto& hits : step.hits) {
      result_.top_1 += static_cast<double>(hits[0]);
      result_.top_5 += static_cast<double>(hits[1]);
    }
    result_.examples += images;
    result_.seconds = step.end - started_;
    report(images, step.end);
  }

  void report(std::int64_t images, double now) {
    since_report_ += images;
    if (finished_ % events_.every != 0) return;
    if (events_.progress)
      events_.progress(finished_, static_cast<double>(since_report_) / (now - last_report_));
    since_report_ = 0;
    last_report_ = now;
  }

  Session& session_;
  data::BatchSource& source_;
  const EvaluationEvents& events_;
  Evaluation result_;
  std::deque<std::int64_t> images_;  // by open step
  std::int64_t submitted_ = 0;
  std::int64_t finished_ = 0;
  std::int64_t since_report_ = 0;
  double started_ = 0;
  double last_report_ = 0;
};

}  // namespace

Evaluator::Evaluator(graph::Graph graph, std::shared_ptr<OpenDevices> devices,
                     const SessionOptions& options)
    : session_(std::move(graph), std::move(devices), counting(options)) {}

Evaluation Evaluator::run(const ModelValues& values, data::BatchSource& source, std::int64_t steps,
                          const EvaluationEvents& events) {
  CONVOY_CHECK_LT(0, steps);
  session_.values().write_model(values);
  return Scoring(session_, source, events).run(steps);
}

}  // namespace convoy::runtime
