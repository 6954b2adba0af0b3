#pragma once

#include <cstdint>
#include <string>

namespace convoy::network {

// What a task does: workers compute, servers keep variables, a controller only coordinates.
enum class Role : int { kWorker = 0, kServer = 1, kController = 2 };

// As in --job_name: "worker", "ps", "controller".
const char* to_string(Role role);

// The name of a task in messages.
struct TaskName {
  Role role = Role::kWorker;
  int index = 0;  // among the tasks of its role
  std::string host;
  std::int64_t pid = 0;
  bool operator==(const TaskName&) const = default;
};

// "worker 3".
std::string seat_text(Role role, int index);
// "worker 3 (host7, pid 4711)".
std::string to_string(const TaskName& name);

// Makes the name of this process's task, with the host's name and the process id.
TaskName this_task(Role role, int index);

}  // namespace convoy::network
