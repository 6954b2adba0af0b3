#pragma once

#include <cstdint>
#include <string>

namespace convoy::report {

// Where and when a run took place. Unknown values are empty or 0.
struct Environment {
  std::string convoy_version;
  std::string host_name;
  std::string operating_system;  // kernel name, release and machine type
  std::string cpu;
  std::uint32_t processors = 0;  // processors that this process may use
  std::uint64_t memory_bytes = 0;
  std::string start_time;  // UTC, ISO 8601
};

Environment detect_environment(const std::string& convoy_version);

}  // namespace convoy::report
