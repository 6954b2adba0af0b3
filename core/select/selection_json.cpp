#include "core/select/selection_json.hpp"

#include "core/base/error.hpp"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

Candidate candidate_from_json(const Json& json) {
  return {json.at("strategy").get<std::string>(),
          json.at("options").get<std::map<std::string, std::string>>(),
          json.at("bucket_elements").get<std::uint64_t>()};
}

DecisionOrigin origin_from(const std::string& name) {
  for (const DecisionOrigin origin :
       {DecisionOrigin::kSimulated, DecisionOrigin::kRemembered, DecisionOrigin::kRule})
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
               {"runner_up", nullptr}};
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
  decision.step_seconds = json.at("step_seconds").get<double>();
  decision.bottleneck = json.at("bottleneck").get<std::string>();
  decision.basis = json.at("basis").get<std::string>();
  decision.calibrated = json.at("calibrated").get<bool>();
  decision.usual = json.at("usual").get<bool>();
  decision.compared = json.at("compared").get<std::size_t>();
  if (const Json& next = json.at("runner_up"); !next.is_null())
    decision.runner_up = {candidate_from_json(next), next.at("step_seconds").get<double>()};
  return decision;
}

}  // namespace convoy
