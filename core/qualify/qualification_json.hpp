#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/qualify/measurement.hpp"

namespace convoy::qualify {

// The version of the written form. Within a version, fields are only added.
inline constexpr int kQualificationSchemaVersion = 1;

// Writes one host, for messages between tasks and for records.
nlohmann::ordered_json host_json(const HostQualification& host);
// Reads one host. Throws nlohmann::json::exception for text that host_json() did not write.
HostQualification read_host(const nlohmann::json& json);

// The record of all hosts after judge(), the slowest host first.
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
