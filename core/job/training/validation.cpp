#include "core/job/training/validation.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/runtime/input_memory.hpp"
#include "core/train/run_length.hpp"

namespace convoy::job {
namespace {

// Returns the number of passes over the validation data, unless the length is given in steps. An
// evaluation is not longer than one pass because the training is.
std::optional<double> evaluation_epochs(const JobOptions& options) {
  const EvaluationOptions& evaluation = options.evaluation;
  if (evaluation.num_batches) return {};
  if (evaluation.num_epochs || !options.num_epochs) return evaluation.num_epochs;
  return std::min(1.0, *options.num_epochs);
}

}  // namespace

Validation::Validation(const graph::Graph& graph, const JobOptions& options, const Sizes& sizes,
                       const runtime::SessionOptions& session, data::DataOptions data)
    : graph_(graph), session_(session), data_(std::move(data)) {
  session_.batch = options.evaluation.batch_size.value_or(sizes.batch);
  data_.batch = static_cast<int>(session_.batch);
  data_.subset = data::Subset::kValidation;
  data_.distortions = false;
  data_.cache_records = false;  // every evaluation reads each record once, so a cache is useless
  data_.repeat_one_record = false;
  data_.first_step = 0;
  data_.counted_epochs = evaluation_epochs(options);
  source_ = data::make_source(data_);
  examples_ = source_->samples_per_epoch();
  notices_ = source_->notices();
  const std::optional<std::int64_t> asked = options.evaluation.num_batches;
  steps_ = asked.value_or(sizes.done_steps + sizes.timed_steps);
  if (!asked) end_with_the_files();
}

// The number of training steps may exceed one pass over the files. Counting an image twice adds no
// information, so this limits the evaluation to one pass.
void Validation::end_with_the_files() {
  const bool has_files = !data_.data_dir.empty();
  if (has_files && !data_.counted_epochs && steps_ > examples_ / data_.global_batch()) {
    data_.counted_epochs = 1;
    source_.reset();  // score() makes one that counts the pass
  }
  if (data_.counted_epochs)
    steps_ = train::timed_steps({}, data_.counted_epochs, data_.global_batch(), examples_);
}

// A source that was opened earlier has its images in ordinary memory, so it is replaced if the
// devices need another kind.
void Validation::prepare(std::shared_ptr<runtime::OpenDevices> devices) {
  data_.image_memory = runtime::input_memory(devices);
  if (data_.image_memory) source_.reset();
  evaluator_ = std::make_unique<runtime::Evaluator>(graph_, std::move(devices), session_);
}

runtime::Evaluation Validation::score(const runtime::ModelValues& values,
                                      const runtime::EvaluationEvents& events) {
  CONVOY_CHECK(evaluator_ != nullptr);
  if (source_ == nullptr) source_ = data::make_source(data_);
  const runtime::Evaluation result = evaluator_->run(values, *source_, steps_, events);
  const data::SourceStatistics now = source_->statistics();
  read_so_far_.bad_records += now.bad_records;
  if (read_so_far_.bad_record_example.empty())
    read_so_far_.bad_record_example = now.bad_record_example;
  source_.reset();
  return result;
}

}  // namespace convoy::job
