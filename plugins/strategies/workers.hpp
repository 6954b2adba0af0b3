#pragma once

#include <convoy/planner.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace convoy_strategies {

// The devices of one host, which work for the parameter servers together.
struct Worker {
  std::uint32_t host_place;
  std::vector<std::uint32_t> replicas;
};

inline std::vector<Worker> workers_of(const convoy::Planner& p) {
  std::map<std::uint32_t, Worker> by_host;
  for (const auto r : p.replicas()) {
    const convoy_place device = p.place(p.replica_place(r));
    Worker& worker = by_host.try_emplace(device.host, Worker{device.near_place, {}}).first->second;
    worker.replicas.push_back(r);
  }
  std::vector<Worker> workers;
  for (auto& [host, worker] : by_host) workers.push_back(std::move(worker));
  return workers;
}

// One span of the gradient of every device of the worker.
inline std::vector<convoy::Span> gradients_of(convoy::Planner& p, const Worker& worker,
                                              convoy::Range range, std::uint32_t set = 0) {
  std::vector<convoy::Span> spans;
  for (const auto r : worker.replicas) spans.push_back(p.gradient(r, set)[range]);
  return spans;
}

// Host places that no device is attached to are parameter servers; without any, every host with
// devices is one.
inline std::vector<std::uint32_t> server_places(const convoy::Planner& p) {
  std::vector<bool> attached(p.place_count(), false);
  std::vector<std::uint32_t> own;
  for (const Worker& worker : workers_of(p)) {
    attached[worker.host_place] = true;
    own.push_back(worker.host_place);
  }
  std::vector<std::uint32_t> servers;
  for (std::uint32_t i = 0; i < p.place_count(); ++i)
    if (p.place(i).kind == CONVOY_PLACE_HOST && !attached[i]) servers.push_back(i);
  return servers.empty() ? own : servers;
}

// Whether there is anything to exchange between hosts: workers or parameter servers.
inline bool has_network(const convoy::Planner& p) {
  const std::uint32_t host = p.place(0).host;
  for (std::uint32_t i = 0; i < p.place_count(); ++i)
    if (p.place(i).host != host) return true;
  return false;
}

}  // namespace convoy_strategies
