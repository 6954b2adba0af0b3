#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text/json.hpp"
#include "core/report/run_record.hpp"

namespace convoy::report {
namespace {

constexpr int kIndent = 2;

// Keeps the fields in the order that suits a reader.
using Json = nlohmann::ordered_json;

// The overload for a step's breakdown joins those below.
using report::to_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Environment& environment) {
  return {{"convoy_version", environment.convoy_version},
          {"host_name", environment.host_name},
          {"operating_system", environment.operating_system},
          {"cpu", environment.cpu},
          {"processors", environment.processors},
          {"memory_bytes", environment.memory_bytes},
          {"start_time", environment.start_time}};
}

Json to_json(const DeviceRecord& device) {
  return {{"name", device.name},       {"kind", device.kind},
          {"model", device.model},     {"locality", device.locality},
          {"threads", device.threads}, {"memory_bytes", device.memory_bytes}};
}

Json to_json(const RunRecord& record, const TrainingStep& step) {
  Json json = {{"step", step.number},
               {"seconds", number(step.seconds)},
               {"images_per_sec", number(record.images_per_second(step))},
               {"loss", record.loss(step) ? number(*record.loss(step)) : Json(nullptr)},
               {"learning_rate", number(step.learning_rate)},
               {"input_wait_seconds", number(step.input_wait_seconds)}};
  if (step.top_1) {
    json["top_1_accuracy"] = number(*step.top_1);
    json["top_5_accuracy"] = number(*step.top_5);
  }
  if (step.loss_scale) json["loss_scale"] = number(*step.loss_scale);
  if (step.gradient_norm) json["gradient_norm"] = number(*step.gradient_norm);
  for (std::size_t i = 0; i < step.gradient_norms.size(); ++i)
    json["gradient_norms"][record.gradient_names.at(i)] = number(step.gradient_norms[i]);
  return json;
}

Json to_json(const EvaluationRecord& evaluation) {
  Json json = {{"step", evaluation.step},
               {"global_step", evaluation.global_step},
               {"top_1", number(evaluation.accuracy.top_1)},
               {"top_5", number(evaluation.accuracy.top_5)},
               {"examples", evaluation.examples},
               {"seconds", number(evaluation.seconds)},
               {"examples_per_sec", number(evaluation.examples_per_second)}};
  if (!evaluation.checkpoint.empty()) json["checkpoint"] = evaluation.checkpoint;
  return json;
}

Json to_json(const PeerRecord& peer) {
  return {{"task", peer.task},
          {"transport", peer.transport},
          {"bytes_sent", peer.bytes_sent},
          {"bytes_received", peer.bytes_received},
          {"round_trip_seconds", peer.round_trip_seconds},
          {"bytes_per_second", peer.bytes_per_second}};
}

Json to_json(const WorkerRecord& worker) {
  Json staleness = Json::array();
  for (const auto& [updates, times] : worker.staleness)
    staleness.push_back({{"updates", updates}, {"times", times}});
  return {{"worker", worker.worker},
          {"steps", worker.steps},
          {"images_per_sec", number(worker.images_per_second)},
          {"staleness", std::move(staleness)}};
}

Json to_json(const CheckpointRecord& checkpoint) {
  return {{"step", checkpoint.step}, {"seconds", checkpoint.seconds}};
}

Json to_json(const TaskRecord& task) {
  Json waited_for = Json::object();
  for (const auto& [other, seconds] : task.waited_for) waited_for[other] = seconds;
  return {{"task", task.task},
          {"step_breakdown", to_json(task.step_breakdown)},
          {"waited_for", std::move(waited_for)}};
}

Json totals(const RunRecord& record) {
  // Evaluations have no steps, so nothing is known of their times.
  const bool has_times = record.step_times.maximum > 0;
  const auto of_steps = [&](double value) { return has_times ? number(value) : Json(nullptr); };
  // A batch that was made ahead takes no time, so the speeds of single batches mean nothing.
  const auto of_speeds = [&](double value) {
    return record.input_only ? Json(nullptr) : of_steps(value);
  };
  return {{"steps", record.steps.size()},
          {"seconds", number(record.total_seconds)},
          {"images_per_sec", number(record.total_images_per_second)},
          {"images_per_sec_mean", of_steps(record.speed.mean)},
          {"images_per_sec_standard_error", of_speeds(record.speed.standard_error)},
          {"images_per_sec_jitter", of_speeds(record.speed.jitter)},
          {"step_seconds",
           {{"p50", of_steps(record.step_times.p50)},
            {"p90", of_steps(record.step_times.p90)},
            {"p99", of_steps(record.step_times.p99)},
            {"max", of_steps(record.step_times.maximum)}}}};
}

Json to_json(const InputVerdict& verdict) {
  return {{"images_per_sec", number(verdict.images_per_second)},
          {"images_per_sec_without_wait", number(verdict.images_per_second_without_wait)},
          {"wait_share", number(verdict.wait_share)},
          {"input_bound", verdict.bound}};
}

Json to_json(const InputSpeed& speed) {
  return {{"images", speed.images},
          {"seconds", number(speed.seconds)},
          {"processor_seconds", number(speed.processor_seconds)},
          {"threads", speed.threads},
          {"cores", speed.cores},
          {"images_per_sec", number(speed.images_per_second())},
          {"images_per_sec_and_core", number(speed.images_per_second_and_core())},
          {"images_per_processor_sec", number(speed.images_per_processor_second())}};
}

Json optional_seconds(const std::optional<double>& seconds) {
  return seconds ? number(*seconds) : Json(nullptr);
}

Json to_json(const select::TrialResult& trial) {
  Json tried = Json::array();
  for (const select::Tried& each : trial.tried)
    tried.push_back({{"flags", select::flags_of(each.candidate)},
                     {"predicted_step_seconds", number(each.predicted_seconds)},
                     {"measured_step_seconds", optional_seconds(each.measured_seconds)},
                     {"counted_steps", each.counted_steps},
                     {"left_out", each.left_out}});
  return {{"steps", trial.steps},
          {"exchanges", trial.exchanges},
          {"exchange_seconds", number(trial.exchange_seconds)},
          {"tried", std::move(tried)}};
}

Json to_json(const select::Decision& decision, const RunRecord& record) {
  const std::optional<select::RunnerUp>& next = decision.runner_up;
  return {{"origin", select::to_string(decision.origin)},
          {"flags", select::flags_of(decision.chosen)},
          {"basis", decision.basis},
          {"calibrated", decision.calibrated},
          {"predicted_step_seconds",
           decision.step_seconds > 0 ? number(decision.step_seconds) : Json(nullptr)},
          {"measured_step_seconds", optional_seconds(record.selected_step_seconds)},
          {"runner_up", next ? select::flags_of(next->candidate) : ""},
          {"runner_up_step_seconds", next ? number(next->step_seconds) : Json(nullptr)},
          {"trial", decision.trial ? to_json(*decision.trial) : Json(nullptr)}};
}

template <typename Record>
Json list_json(const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(to_json(record));
  return list;
}

template <typename Record>
Json optional_json(const std::optional<Record>& record) {
  return record ? to_json(*record) : Json(nullptr);
}

Json strategy_json(const RunRecord& record) {
  return {{"name", record.strategy},
          {"options", record.strategy_options},
          {"verdict", record.strategy_verdict},
          {"plan_hash", record.plan_hash}};
}

Json summary(const RunRecord& it) {
  return {{"schema_version", kRunRecordSchemaVersion},
          {"environment", to_json(it.environment)},
          {"command_line", it.command_line},
          {"flags", it.flags},
          {"model", it.model},
          {"parameters", it.parameters},
          {"dataset", it.dataset},
          {"synthetic_data", it.synthetic_data},
          {"mode", it.mode},
          {"strategy", strategy_json(it)},
          {"selection", it.selection ? to_json(*it.selection, it) : Json(nullptr)},
          {"optimizer", it.optimizer},
          {"compute_dtype", it.compute_dtype},
          {"devices", list_json(it.devices)},
          {"peers", list_json(it.peers)},
          {"restarts", it.restarts},
          {"workers", list_json(it.workers)},
          {"batch_per_device", it.batch_per_device},
          {"global_batch", it.global_batch},
          {"warmup_steps", it.warmup_steps},
          {"total", totals(it)},
          {"tasks", list_json(it.tasks)},
          {"checkpoints", list_json(it.checkpoints)},
          {"standstills", it.standstills},
          {"step_breakdown", optional_json(it.step_breakdown)},
          {"prediction", optional_json(it.prediction)},
          {"profile", optional_json(it.profile)},
          {"gpus", it.gpus ? gpus_json(*it.gpus, it.own_images_per_second()) : Json(nullptr)},
          {"memory", optional_json(it.memory)},
          {"input", optional_json(it.input)},
          {"input_only", optional_json(it.input_only)},
          {"parameter_hash", it.parameter_hash.empty() ? Json(nullptr) : Json(it.parameter_hash)},
          {"notices", it.notices},
          {"exit_status", it.exit_status},
          {"interrupted", it.interrupted},
          {"error", it.error},
          {"timeline", optional_json(it.timeline)}};
}

// Writes the contents of the list of steps as text. A million steps as JSON values would take three
// times as much memory as their text.
void append_steps(const RunRecord& record, std::string& text) {
  constexpr const char* kMargin = "    ";  // two levels deep
  const char* separator = "\n";
  for (const TrainingStep& step : record.steps) {
    text += std::exchange(separator, ",\n");
    text += kMargin;
    for (const char c : json_text(to_json(record, step), kIndent)) {
      text += c;
      if (c == '\n') text += kMargin;
    }
  }
  if (!record.steps.empty()) text += "\n  ";
}

}  // namespace

std::string run_record_json(const RunRecord& record) {
  Json json = summary(record);
  json["steps"] = Json::array();
  json["evaluations"] = list_json(record.evaluations);
  std::string text = json_text(json, kIndent) + "\n";
  // Texts have no line breaks, and other lists of this name are indented further, so this finds the
  // right list.
  const std::string list = "\n  \"steps\": [";
  const std::size_t begin = text.find(list) + list.size();
  const std::string rest = text.substr(begin);
  text.resize(begin);
  append_steps(record, text);
  text += rest;
  return text;
}

std::string run_record_json_lines(const RunRecord& record) {
  std::string text;
  for (const TrainingStep& step : record.steps) {
    Json line = {{"kind", "step"}};
    line.update(to_json(record, step));
    text += json_text(line) + "\n";
  }
  for (const EvaluationRecord& evaluation : record.evaluations) {
    Json line = {{"kind", "evaluation"}};
    line.update(to_json(evaluation));
    text += json_text(line) + "\n";
  }
  Json line = {{"kind", "summary"}};
  line.update(summary(record));
  return text + json_text(line) + "\n";
}

}  // namespace convoy::report
