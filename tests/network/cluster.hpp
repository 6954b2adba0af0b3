#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/network/addresses.hpp"
#include "core/network/control_plane.hpp"

namespace convoy::network {

// Tasks that are threads of this process.
struct Cluster {
  int workers = 2;
  int servers = 0;
  int port = free_ports(1).front();
  double join_timeout = 20;
  double peer_timeout = 60;  // a task that gets no processor for a while is not lost
  SecurityOptions security{};
  Wire* wire = nullptr;

  ControlOptions options(Role role, int index) const;
};

// Every task joins and runs `body` in a thread; the errors' texts, by rank. `change` may change
// what a task joins with.
using Body = std::function<void(ControlPlane&, int rank)>;
std::vector<std::string> run_tasks(
    const Cluster& cluster, const Body& body,
    const std::function<void(ControlOptions&, int rank)>& change = [](ControlOptions&, int) {});

inline std::vector<std::string> no_errors(std::size_t tasks) {
  return std::vector<std::string>(tasks);
}

}  // namespace convoy::network
