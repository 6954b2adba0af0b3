#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/qualify/measurement.hpp"

namespace convoy::qualify {

// Version of the written form. Fields are only added within a version.
inline constexpr int kQualificationSchemaVersion = 1;

// One host, as tasks send it to each other and as records have it.
nlohmann::ordered_json host_json(const HostQualification& host);
// Throws nlohmann::json::exception for what host_json() did not write.
HostQualification read_host(const nlohmann::json& json);

// The record: all hosts once they are judged, the slowest first.
struct Qualification {
  std::vector<HostQualification> hosts;
  double threshold = 0;
  bool quick = false;
  std::string convoy_version;
  std::string start_time;
  std::vector<std::string> command_line;
};
nlohmann::ordered_json qualification_json(const Qualification& qualification);

}  // namespace convoy::qualify
