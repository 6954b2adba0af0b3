#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"
#include "core/job/options.hpp"
#include "core/job/sizes.hpp"
#include "core/runtime/evaluator.hpp"

namespace convoy::job {

// The validation data of a run and the inference that scores models on it. Every evaluation begins
// with the first example, so that their results can be compared.
class Validation {
 public:
  // session, data: the options of training, of which some are changed for evaluation. sizes: gives
  // batch and number of steps if the flags of evaluation do not; of files, these steps are one pass
  // at most. Errors as make_source().
  Validation(const graph::Graph& graph, const JobOptions& options, const Sizes& sizes,
             const runtime::SessionOptions& session, data::DataOptions data);

  std::uint32_t batch() const { return session_.batch; }  // images per device and step
  std::int64_t steps() const { return steps_; }           // of one evaluation
  std::int64_t examples() const { return examples_; }     // in the validation data
  // Passes over them, where the length is not a number of steps.
  std::optional<double> epochs() const { return data_.counted_epochs; }
  // Bad records in all evaluations, with one as an example; other fields are empty.
  const data::SourceStatistics& read_so_far() const { return read_so_far_; }

  // Notices about the data, for people.
  const std::vector<std::string>& notices() const { return notices_; }

  // Compiles the model for these devices, which may serve a training session too.
  void prepare(std::shared_ptr<runtime::OpenDevices> devices);
  const runtime::Session& session() const { return evaluator_->session(); }  // once it is prepared
  runtime::Evaluation score(const runtime::ModelValues& values,
                            const runtime::EvaluationEvents& events);

 private:
  void end_with_the_files();

  const graph::Graph& graph_;
  runtime::SessionOptions session_;
  data::DataOptions data_;
  std::int64_t steps_ = 0;
  std::int64_t examples_ = 0;
  data::SourceStatistics read_so_far_;
  std::vector<std::string> notices_;
  std::unique_ptr<data::BatchSource> source_;  // fresh, or nothing
  std::unique_ptr<runtime::Evaluator> evaluator_;
};

}  // namespace convoy::job
