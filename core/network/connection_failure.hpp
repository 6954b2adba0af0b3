#pragma once

#include <string>

namespace convoy::network {

// Why a task does not reach the coordinator, for its user.
struct ConnectionFailure {
  bool is_final = false;  // trying again does not help
  std::string cause;
  std::string action;
};

// `reason`: what the wire says. `encrypted`: this task has certificates.
ConnectionFailure explain_failure(const std::string& reason, bool encrypted);

}  // namespace convoy::network
