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

// The validation data of a run and the inference that evaluates models on it. Every evaluation
// begins with the first example, so that results can be compared.
class Validation {
 public:
  // session, data: the options of training, some of which are changed for evaluation. sizes: gives
  // batch and number of steps if the flags of evaluation do not. With files, these steps are at
  // most one pass. Errors as make_source().
  Validation(const graph::Graph& graph, const JobOptions& options, const Sizes& sizes,
             const runtime::SessionOptions& session, data::DataOptions data);

  std::uint32_t batch() const { return session_.batch; }  // images per device and step
  std::int64_t steps() const { return steps_; }           // steps of one evaluation
  std::int64_t examples() const { return examples_; }  // number of examples in the validation data
  // Returns the number of passes over them, unless the length is given in steps.
  std::optional<double> epochs() const { return data_.counted_epochs; }
  // Returns the bad records of all evaluations, with one as an example. Other fields are empty.
  const data::SourceStatistics& read_so_far() const { return read_so_far_; }

  // Notices about the data, for people.
  const std::vector<std::string>& notices() const { return notices_; }

  // Compiles the model for these devices, which may also serve a training session.
  void prepare(std::shared_ptr<runtime::OpenDevices> devices);
  // Valid after prepare().
  const runtime::Session& session() const { return evaluator_->session(); }
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
  std::unique_ptr<data::BatchSource> source_;  // no batch was taken from it; or null
  std::unique_ptr<runtime::Evaluator> evaluator_;
};

}  // namespace convoy::job
