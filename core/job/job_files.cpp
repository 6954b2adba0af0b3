#include "core/job/job_files.hpp"

#include <memory>

#include "core/base/files/output_file.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/job/training/initial_weights.hpp"
#include "core/job/training/input_only.hpp"
#include "core/job/training/starting_point.hpp"
#include "core/report/html/write_report.hpp"
#include "core/report/run_record.hpp"

namespace convoy::job {

void check_output_files(const JobOptions& options) {
  check_dump(options);
  if (!options.output_file.empty()) report::check_record_path(options.output_file);
  if (!options.trace_file.empty()) check_output_file(options.trace_file);
  if (!options.report_file.empty()) report::check_report_path(options.report_file);
  const std::string& train_dir = options.checkpoints.train_dir;
  if (!train_dir.empty()) check_working_folder(train_dir);
}

void check_data_files(const Setup& setup) {
  const JobOptions& options = setup.options;
  data::DataOptions wanted;
  wanted.data_dir = options.data_dir;
  wanted.data_name = options.data_name;
  wanted.model_dataset = setup.model_info.dataset;
  const RunMode mode = options.evaluation.mode();
  if (mode != RunMode::kEvaluation) data::require_data_files(wanted);
  const bool evaluates = mode == RunMode::kEvaluation || mode == RunMode::kTrainingAndEvaluation;
  if (!evaluates || options.task.tasks() > 1) return;  // only one of several tasks evaluates
  wanted.subset = data::Subset::kValidation;
  data::require_data_files(wanted);
}

void open_starting_point(Setup& setup) {
  const JobOptions& options = setup.options;
  if (!trains(options) || options.task.tasks() > 1) return;
  setup.starting_point = std::make_shared<StartingPoint>(find_starting_point(
      options, *setup.graph, [&](const std::string& text) { setup.notices.push_back(text); }));
  const CheckpointOptions& checkpoints = options.checkpoints;
  if (!setup.starting_point->newest && !checkpoints.init_weights.empty())
    const InitialWeights found(checkpoints, *setup.graph);
}

}  // namespace convoy::job
