#include "core/qualify/qualification_json.hpp"

#include "core/qualify/judge.hpp"

namespace convoy::qualify {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Measurement& it) {
  Json json = {{"kind", kind_name(it.kind)},
               {"subject", it.subject},
               {"what", it.what},
               {"unit", it.unit},
               {"rate", it.rate},
               {"bytes", it.bytes}};
  json["foreseen"] = nullptr;
  if (it.expected)
    json["foreseen"] = {{"rate", it.expected->rate},
                        {"error", it.expected->error},
                        {"least", least_rate(*it.expected)},
                        {"source", it.expected->source}};
  json["likes"] = it.peers ? Json(*it.peers) : Json();
  json["share"] = it.share;
  json["slow"] = it.slow;
  json["reasons"] = it.reasons;
  return json;
}

Measurement read_measurement(const nlohmann::json& json) {
  Measurement it;
  it.kind = kind_named(json.at("kind").get<std::string>()).value_or(Kind::kDevice);
  it.subject = json.at("subject").get<std::string>();
  it.what = json.at("what").get<std::string>();
  it.unit = json.at("unit").get<std::string>();
  it.rate = json.at("rate").get<double>();
  it.bytes = json.at("bytes").get_ref<const std::uint64_t&>();
  if (const auto& expected = json.at("foreseen"); !expected.is_null())
    it.expected =
        ExpectedRate{expected.at("rate").get<double>(), expected.at("error").get<double>(),
                     expected.at("source").get<std::string>()};
  return it;
}

}  // namespace

Json host_json(const HostQualification& host) {
  Json json = {{"name", host.name}, {"score", host.score}, {"foreseen_by", host.expected_by}};
  json["devices"] = Json::array();
  for (const QualifiedDevice& it : host.devices)
    json["devices"].push_back({{"name", it.name}, {"model", it.model}, {"locality", it.locality}});
  json["measurements"] = Json::array();
  for (const Measurement& it : host.measurements) json["measurements"].push_back(json_of(it));
  json["clues"] = Json::array();
  for (const Clue& it : host.clues)
    json["clues"].push_back({{"subject", it.subject}, {"text", it.text}, {"advice", it.advice}});
  json["notices"] = host.notices;
  return json;
}

HostQualification read_host(const nlohmann::json& json) {
  HostQualification host;
  host.name = json.at("name").get<std::string>();
  host.expected_by = json.at("foreseen_by").get<std::string>();
  for (const auto& it : json.at("devices"))
    host.devices.push_back({it.at("name").get<std::string>(), it.at("model").get<std::string>(),
                            it.at("locality").get<std::string>()});
  for (const auto& it : json.at("measurements")) host.measurements.push_back(read_measurement(it));
  for (const auto& it : json.at("clues"))
    host.clues.push_back({it.at("subject").get<std::string>(), it.at("text").get<std::string>(),
                          it.at("advice").get<std::string>()});
  host.notices = json.at("notices").get<std::vector<std::string>>();
  return host;
}

Json qualification_json(const Qualification& qualification) {
  Json json = {{"schema_version", kQualificationSchemaVersion},
               {"convoy_version", qualification.convoy_version},
               {"start_time", qualification.start_time},
               {"command_line", qualification.command_line},
               {"threshold", qualification.threshold},
               {"quick", qualification.quick},
               {"passed", all_pass(qualification.hosts)},
               {"slow", slow_sentences(qualification.hosts)}};
  json["hosts"] = Json::array();
  for (const HostQualification& host : qualification.hosts)
    json["hosts"].push_back(host_json(host));
  return json;
}

}  // namespace convoy::qualify
