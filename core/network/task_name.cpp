#include "core/network/task_name.hpp"

#include <unistd.h>

#include <array>

#include "core/base/error.hpp"

namespace convoy::network {

const char* to_string(Role role) {
  switch (role) {
    case Role::kWorker:
      return "worker";
    case Role::kServer:
      return "ps";
    case Role::kController:
      return "controller";
  }
  return "task";
}

std::string seat_text(Role role, int index) {
  if (role == Role::kController) return "the controller";
  return fmt::format("{} {}", to_string(role), index);
}

std::string to_string(const TaskName& name) {
  return fmt::format("{} ({}, pid {})", seat_text(name.role, name.index), name.host, name.pid);
}

TaskName this_task(Role role, int index) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"unknown host"};
  return {role, index, host.data(), ::getpid()};
}

}  // namespace convoy::network
