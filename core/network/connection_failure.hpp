#pragma once

#include <string>

namespace convoy::network {

// Explains to the user why a task does not reach the coordinator.
struct ConnectionFailure {
  bool is_final = false;  // another attempt would fail, too
  std::string cause;
  std::string action;
};

// `reason` is the text of the wire. `encrypted` says that this task has certificates.
ConnectionFailure explain_failure(const std::string& reason, bool encrypted);

}  // namespace convoy::network
