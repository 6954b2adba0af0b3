#include "core/report/run_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/base/text/csv_text.hpp"

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

// C++ prints the sign of NaN, so it is written here.
std::string csv_number(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

// Further columns after the usual ones, for what the run was asked to report.
class MoreColumns {
 public:
  explicit MoreColumns(const RunRecord& record)
      : record_(record), scales_(std::ranges::any_of(record.steps, [](const TrainingStep& step) {
          return step.loss_scale.has_value();
        })) {}

  std::string title() const {
    std::string text = scales_ ? ",loss_scale" : "";
    if (has_norms()) text += ",gradient_norm";
    for (const std::string& name : record_.gradient_names)
      text += "," + csv_text("gradient_norm of " + name);
    return text;
  }
  std::string of(const TrainingStep& step) const {
    std::string text = scales_ ? "," : "";
    if (step.loss_scale) text += csv_number(*step.loss_scale);
    if (has_norms()) text += ",";
    if (step.gradient_norm) text += csv_number(*step.gradient_norm);
    for (const double norm : step.gradient_norms) text += "," + csv_number(norm);
    return text + std::string(record_.gradient_names.size() - step.gradient_norms.size(), ',');
  }
  std::string none() const {
    const std::size_t columns =
        (scales_ ? 1 : 0) + (has_norms() ? 1 + record_.gradient_names.size() : 0);
    return std::string(columns, ',');
  }

 private:
  bool has_norms() const { return !record_.gradient_names.empty(); }

  const RunRecord& record_;
  bool scales_;
};

std::string csv_line(const RunRecord& record, const TrainingStep& step) {
  const std::optional<double> loss = record.loss(step);
  std::string text =
      fmt::format("{},{},{},{},{},{},", step.number, step.seconds, record.images_per_second(step),
                  loss ? csv_number(*loss) : "", step.learning_rate, step.input_wait_seconds);
  text += step.top_1 ? fmt::format("{},{}", *step.top_1, *step.top_5) : ",";
  return text + ",,,";
}

std::string csv_line(const EvaluationRecord& evaluation) {
  return fmt::format("{},{},{},,,,,,{},{},{}", evaluation.step, evaluation.seconds,
                     evaluation.examples_per_second, evaluation.accuracy.top_1,
                     evaluation.accuracy.top_5, evaluation.examples);
}

}  // namespace

std::string run_record_csv(const RunRecord& record) {
  const MoreColumns more(record);
  // {} gives the shortest text that reads back as the same double.
  std::string text =
      "step,seconds,images_per_sec,loss,learning_rate,input_wait_seconds,top_1_accuracy,"
      "top_5_accuracy,evaluation_top_1,evaluation_top_5,evaluation_examples" +
      more.title() + "\n";
  auto evaluation = record.evaluations.begin();
  const auto evaluations_until = [&](std::int64_t step) {
    for (; evaluation != record.evaluations.end() && evaluation->step <= step; ++evaluation)
      text += csv_line(*evaluation) + more.none() + "\n";
  };
  for (const TrainingStep& step : record.steps) {
    evaluations_until(step.number - 1);
    text += csv_line(record, step) + more.of(step) + "\n";
  }
  evaluations_until(std::numeric_limits<std::int64_t>::max());
  return text;
}

void check_record_path(const std::filesystem::path& path) {
  writer_for(path);
  check_output_file(path);
}

void write_run_record(const RunRecord& record, const std::filesystem::path& path) {
  write_output_file(path, writer_for(path)(record));
}

}  // namespace convoy::report
