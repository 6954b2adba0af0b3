#include "core/report/run_record.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/report/output_file.hpp"
#include "core/report/run_record_json.hpp"

namespace convoy {
namespace {

// Bytes of a foreign encoding, in a command line for instance, are replaced rather than refused.
std::string dump(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_json(const RunRecord& record) {
  auto json = summary_json(record);
  json["steps"] = nlohmann::ordered_json::array();
  for (const auto& step : record.steps) json["steps"].push_back(step_json(step));
  return dump(json, 2) + "\n";
}

std::string to_json_lines(const RunRecord& record) {
  std::string text;
  for (const auto& step : record.steps) text += dump(step_json(step), -1) + "\n";
  return text + dump(summary_json(record), -1) + "\n";
}

std::string to_csv(const RunRecord& record) {
  std::string text =
      "step,seconds,images_per_sec,loss,base_loss,learning_rate,input_wait_seconds,"
      "top_1_accuracy,top_5_accuracy\n";
  for (const auto& step : record.steps) {
    text += fmt::format("{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},", step.step,
                        step.seconds, step.images_per_second, step.loss, step.base_loss,
                        step.learning_rate, step.input_wait_seconds);
    text += step.accuracy
                ? fmt::format("{:.17g},{:.17g}\n", step.accuracy->top_1, step.accuracy->top_5)
                : ",\n";
  }
  return text;
}

using Writer = std::string (*)(const RunRecord&);

Writer writer_for(const std::filesystem::path& path) {
  const auto suffix = path.extension();
  if (suffix == ".json") return to_json;
  if (suffix == ".jsonl") return to_json_lines;
  if (suffix == ".csv") return to_csv;
  fail(ExitCode::kUsage,
       "--output_file={}: its suffix says how to write it; use .json, .jsonl or .csv",
       path.string());
}

}  // namespace

void write_run_record(const RunRecord& record, const std::filesystem::path& path) {
  write_whole_file(path, writer_for(path)(record));
}

void check_run_record_path(const std::filesystem::path& path) {
  writer_for(path);
  check_writable(path);
}

}  // namespace convoy
