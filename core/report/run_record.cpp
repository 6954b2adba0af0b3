#include "core/report/run_record.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/base/error.hpp"
#include "core/base/output_file.hpp"

namespace convoy::report {
namespace {

using Writer = std::string (*)(const RunRecord&);

Writer writer_for(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  if (suffix == ".json") return run_record_json;
  if (suffix == ".jsonl") return run_record_json_lines;
  if (suffix == ".csv") return run_record_csv;
  fail(ExitCode::kUsage,
       "--output_file={}: the suffix chooses the form and must be .json, .jsonl or .csv",
       path.string());
}

std::string csv_line(const RunRecord& record, const TrainingStep& step) {
  std::string text =
      fmt::format("{},{},{},{},{},{},", step.number, step.seconds, record.images_per_second(step),
                  record.loss(step), step.learning_rate, step.input_wait_seconds);
  text += step.top_1 ? fmt::format("{},{}", *step.top_1, *step.top_5) : ",";
  return text + ",,,\n";
}

std::string csv_line(const EvaluationRecord& evaluation) {
  return fmt::format("{},{},{},,,,,,{},{},{}\n", evaluation.step, evaluation.seconds,
                     evaluation.examples_per_second, evaluation.accuracy.top_1,
                     evaluation.accuracy.top_5, evaluation.examples);
}

}  // namespace

std::string run_record_csv(const RunRecord& record) {
  // The shortest text that reads back as the same double is what {} gives.
  std::string text =
      "step,seconds,images_per_sec,loss,learning_rate,input_wait_seconds,top_1_accuracy,"
      "top_5_accuracy,evaluation_top_1,evaluation_top_5,evaluation_examples\n";
  auto evaluation = record.evaluations.begin();
  const auto evaluations_until = [&](std::int64_t step) {
    for (; evaluation != record.evaluations.end() && evaluation->step <= step; ++evaluation)
      text += csv_line(*evaluation);
  };
  for (const TrainingStep& step : record.steps) {
    evaluations_until(step.number - 1);
    text += csv_line(record, step);
  }
  evaluations_until(std::numeric_limits<std::int64_t>::max());
  return text;
}

void check_run_record_path(const std::filesystem::path& path) {
  writer_for(path);
  check_output_file(path);
}

void write_run_record(const RunRecord& record, const std::filesystem::path& path) {
  write_output_file(path, writer_for(path)(record));
}

}  // namespace convoy::report
