#include "core/report/run_record_json.hpp"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

void add_speed(Json& json, const RunRecord& record) {
  json["total_seconds"] = record.total_seconds;
  json["total_images_per_sec"] = record.total_images_per_second;
  if (record.speed) {
    json["images_per_sec"] = {{"mean", record.speed->mean},
                              {"standard_error", record.speed->standard_error},
                              {"jitter", record.speed->jitter}};
  }
  if (record.percentiles) {
    json["step_seconds"] = {{"p50", record.percentiles->p50},
                            {"p90", record.percentiles->p90},
                            {"p99", record.percentiles->p99},
                            {"max", record.percentiles->max}};
  }
  if (!record.steps.empty()) json["final_loss"] = record.steps.back().loss;
}

}  // namespace

Json step_json(const StepRecord& step) {
  Json json = {{"step", step.step},
               {"seconds", step.seconds},
               {"images_per_sec", step.images_per_second},
               {"loss", step.loss},
               {"base_loss", step.base_loss},
               {"learning_rate", step.learning_rate},
               {"input_wait_seconds", step.input_wait_seconds}};
  if (step.accuracy) {
    json["top_1_accuracy"] = step.accuracy->top_1;
    json["top_5_accuracy"] = step.accuracy->top_5;
  }
  return json;
}

Json summary_json(const RunRecord& record) {
  Json json = {{"schema_version", kRunRecordSchemaVersion},
               {"convoy_version", record.version},
               {"start_time", record.start_time},
               {"command_line", record.command_line},
               {"exit_status", record.exit_status},
               {"interrupted", record.interrupted},
               {"error", record.error},
               {"model", record.model},
               {"parameters", record.parameters},
               {"dataset", record.dataset},
               {"devices", record.devices},
               {"strategy", record.strategy},
               {"strategy_claim", record.strategy_claim},
               {"optimizer", record.optimizer},
               {"batch_size_per_device", record.device_batch},
               {"batch_size_global", record.global_batch},
               {"num_warmup_batches", record.num_warmup_batches},
               {"num_batches", record.steps.size()}};
  add_speed(json, record);
  json["environment"] = record.environment;
  json["flags"] = record.flags;
  return json;
}

}  // namespace convoy
