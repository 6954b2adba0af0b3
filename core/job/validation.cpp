#include "core/job/validation.hpp"

#include <utility>

#include "core/base/error.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/train/run_length.hpp"

namespace convoy::job {
namespace {

std::int64_t evaluation_steps(const JobOptions& options, const Sizes& sizes,
                              std::int64_t global_batch, std::int64_t examples) {
  const EvaluationOptions& evaluation = options.evaluation;
  if (evaluation.num_batches) return *evaluation.num_batches;
  const std::optional<double> epochs =
      evaluation.num_epochs ? evaluation.num_epochs : options.num_epochs;
  if (epochs) return train::timed_steps({}, epochs, global_batch, examples);
  return sizes.done_steps + sizes.timed_steps;
}

}  // namespace

Validation::Validation(const Setup& setup, const Sizes& sizes,
                       const runtime::SessionOptions& session, data::DataOptions data)
    : graph_(*setup.graph), session_(session), data_(std::move(data)) {
  session_.batch = setup.options.evaluation.batch_size.value_or(sizes.batch);
  data_.batch = static_cast<int>(session_.batch);
  data_.subset = data::Subset::kValidation;
  data_.distortions = false;
  data_.cache_records = false;  // every evaluation reads anew, and once
  data_.repeat_one_record = false;
  data_.first_step = 0;
  source_ = data::make_source(data_);
  examples_ = source_->samples_per_epoch();
  notices_ = source_->notices();
  steps_ = evaluation_steps(setup.options, sizes, data_.global_batch(), examples_);
}

void Validation::prepare(std::shared_ptr<runtime::OpenDevices> devices) {
  evaluator_ = std::make_unique<runtime::Evaluator>(graph_, std::move(devices), session_);
}

runtime::Evaluation Validation::score(const runtime::ModelValues& values,
                                      const runtime::EvaluationEvents& events) {
  CONVOY_CHECK(evaluator_ != nullptr);
  if (source_ == nullptr) source_ = data::make_source(data_);
  const runtime::Evaluation result = evaluator_->run(values, *source_, steps_, events);
  bad_records_ += source_->statistics().bad_records;
  source_.reset();
  return result;
}

}  // namespace convoy::job
