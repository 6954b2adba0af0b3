#include "core/select/selection_json.hpp"

#include <cstdint>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"

namespace convoy::select {
namespace {

using Json = nlohmann::ordered_json;

double seconds_from_json(const Json& json, const char* key) {
  constexpr double kMost = 1e9;  // seconds of a step: longer than any machine runs
  const auto seconds = json.at(key).get<double>();
  if (!(seconds >= 0 && seconds <= kMost))
    fail(ExitCode::kFailed, "{} is {}, which is no time", key, seconds);
  return seconds;
}

template <typename Number>
Number count_from_json(const Json& json, const char* key) {
  const auto count = json_count(json.at(key), std::numeric_limits<Number>::max());
  if (!count) fail(ExitCode::kFailed, "{} is {}, which is no count", key, json_text(json.at(key)));
  return static_cast<Number>(*count);
}

Candidate candidate_from_json(const Json& json) {
  return {json.at("strategy").get<std::string>(),
          json.at("options").get<std::map<std::string, std::string>>(),
          count_from_json<std::uint64_t>(json, "bucket_elements")};
}

Json to_json(const TrialResult& trial) {
  Json tried = Json::array();
  for (const Tried& each : trial.tried) {
    Json json = to_json(each.candidate);
    json["predicted_seconds"] = each.predicted_seconds;
    json["measured_seconds"] = each.measured_seconds ? Json(*each.measured_seconds) : Json(nullptr);
    json["counted_steps"] = each.counted_steps;
    json["left_out"] = each.left_out;
    tried.push_back(std::move(json));
  }
  return {{"steps", trial.steps},
          {"exchanges", trial.exchanges},
          {"exchange_seconds", trial.exchange_seconds},
          {"tried", std::move(tried)}};
}

TrialResult trial_from_json(const Json& json) {
  TrialResult trial;
  trial.steps = count_from_json<std::int64_t>(json, "steps");
  trial.exchanges = count_from_json<std::int64_t>(json, "exchanges");
  trial.exchange_seconds = seconds_from_json(json, "exchange_seconds");
  for (const Json& each : json.at("tried")) {
    Tried tried;
    tried.candidate = candidate_from_json(each);
    tried.predicted_seconds = seconds_from_json(each, "predicted_seconds");
    if (!each.at("measured_seconds").is_null())
      tried.measured_seconds = seconds_from_json(each, "measured_seconds");
    tried.counted_steps = count_from_json<std::int64_t>(each, "counted_steps");
    tried.left_out = each.at("left_out").get<std::string>();
    trial.tried.push_back(std::move(tried));
  }
  return trial;
}

DecisionOrigin origin_from(const std::string& name) {
  for (const DecisionOrigin origin : {DecisionOrigin::kSimulated, DecisionOrigin::kRemembered,
                                      DecisionOrigin::kMeasured, DecisionOrigin::kRule})
    if (name == to_string(origin)) return origin;
  fail(ExitCode::kFailed, "'{}' is no origin of a decision", name);
}

}  // namespace

Json to_json(const Candidate& candidate) {
  return {{"strategy", candidate.strategy},
          {"options", candidate.options},
          {"bucket_elements", candidate.bucket_elements},
          {"flags", flags_of(candidate)}};
}

Json to_json(const Decision& decision) {
  Json json = {{"origin", to_string(decision.origin)},
               {"chosen", to_json(decision.chosen)},
               {"step_seconds", decision.step_seconds},
               {"bottleneck", decision.bottleneck},
               {"basis", decision.basis},
               {"calibrated", decision.calibrated},
               {"usual", decision.usual},
               {"compared", decision.compared},
               {"runner_up", nullptr},
               {"trial", decision.trial ? to_json(*decision.trial) : Json(nullptr)}};
  if (decision.runner_up) {
    json["runner_up"] = to_json(decision.runner_up->candidate);
    json["runner_up"]["step_seconds"] = decision.runner_up->step_seconds;
  }
  return json;
}

Json to_json(const Ranking& ranking) {
  Json list = Json::array();
  for (const RankedCandidate& each : ranking.candidates) {
    Json json = to_json(each.candidate);
    json["state"] = to_string(each.state);
    if (each.state == CandidateState::kPredicted) {
      json["step_seconds"] = each.step_seconds;
      json["behind"] = ranking.behind(each);
      json["bottleneck"] = each.bottleneck;
      json["plan_hash"] = each.plan_hash;
    } else {
      json["reason"] = each.reason;
    }
    list.push_back(std::move(json));
  }
  return list;
}

Decision decision_from_json(const Json& json) {
  Decision decision;
  decision.origin = origin_from(json.at("origin").get<std::string>());
  decision.chosen = candidate_from_json(json.at("chosen"));
  decision.step_seconds = seconds_from_json(json, "step_seconds");
  decision.bottleneck = json.at("bottleneck").get<std::string>();
  decision.basis = json.at("basis").get<std::string>();
  decision.calibrated = json.at("calibrated").get<bool>();
  decision.usual = json.at("usual").get<bool>();
  decision.compared = count_from_json<std::size_t>(json, "compared");
  if (const Json& next = json.at("runner_up"); !next.is_null())
    decision.runner_up = {candidate_from_json(next), seconds_from_json(next, "step_seconds")};
  if (const Json& trial = json.at("trial"); !trial.is_null())
    decision.trial = trial_from_json(trial);
  return decision;
}

}  // namespace convoy::select
