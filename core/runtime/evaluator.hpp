#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/data/pipeline/batch_source.hpp"
#include "core/runtime/session.hpp"

namespace convoy::runtime {

// The result of one evaluation.
struct Evaluation {
  double top_1 = 0;  // correct images / images that count
  double top_5 = 0;
  std::int64_t examples = 0;
  double seconds = 0;  // from the first submission to the end of the last batch
  bool stopped = false;

  double examples_per_second() const {
    return seconds > 0 ? static_cast<double>(examples) / seconds : 0;
  }
};

// Called on the evaluating thread. Empty functions are left out.
struct EvaluationEvents {
  // Every `every` steps, counted from 1: the examples per second since the last call.
  std::function<void(std::int64_t step, double examples_per_second)> progress;
  std::int64_t every = 10;
  std::function<bool()> stop_requested;
};

// Scores a model on batches by inference. It may share the devices with a training session, but has
// its own memory and programs, so that it does not change the training. Every replica takes a batch
// in each step.
class Evaluator {
 public:
  // Ignores the options' optimizer and dropout. Always counts hits.
  Evaluator(graph::Graph graph, std::shared_ptr<OpenDevices> devices,
            const SessionOptions& options);

  // Runs `steps` steps, beginning with the source's step 0. The source must be fresh.
  Evaluation run(const ModelValues& values, data::BatchSource& source, std::int64_t steps,
                 const EvaluationEvents& events);

  const Session& session() const { return session_; }

 private:
  Session session_;
};

}  // namespace convoy::runtime
