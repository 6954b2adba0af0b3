#pragma once

#include <convoy/planner.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace convoy_strategies {

// The devices of one host, which exchange data with the parameter servers together.
struct Worker {
  convoy::PlaceId host_place;
  std::vector<convoy::ReplicaId> replicas;
};

inline std::vector<Worker> workers_of(const convoy::Planner& p) {
  std::map<std::uint32_t, Worker> by_host;
  for (const auto r : p.replicas()) {
    const std::uint32_t host = p.place(p.replica_place(r)).host;
    Worker& worker = by_host.try_emplace(host, Worker{p.host_place(r), {}}).first->second;
    worker.replicas.push_back(r);
  }
  std::vector<Worker> workers;
  workers.reserve(by_host.size());
  for (auto& [host, worker] : by_host) workers.push_back(std::move(worker));
  return workers;
}

// One span of the gradient of every device of the worker.
inline std::vector<convoy::Span> gradients_of(convoy::Planner& p, const Worker& worker,
                                              convoy::Range range, convoy::SetId set = {}) {
  std::vector<convoy::Span> spans;
  for (const auto r : worker.replicas) spans.push_back(p.gradient(r, set)[range]);
  return spans;
}

// Returns the parameter servers: the host places without devices; if there are none, all hosts with
// devices.
inline std::vector<convoy::PlaceId> server_places(const convoy::Planner& p) {
  std::vector<bool> attached(p.place_count(), false);
  std::vector<convoy::PlaceId> own;
  for (const Worker& worker : workers_of(p)) {
    attached[worker.host_place.index()] = true;
    own.push_back(worker.host_place);
  }
  std::vector<convoy::PlaceId> servers;
  for (const auto place : p.places())
    if (p.place(place).kind == convoy::PlaceKind::kHost && !attached[place.index()])
      servers.push_back(place);
  return servers.empty() ? own : servers;
}

// Whether there is anything to exchange between hosts: workers or parameter servers.
inline bool has_network(const convoy::Planner& p) {
  const std::uint32_t host = p.place(p.places().front()).host;
  for (const auto place : p.places())
    if (p.place(place).host != host) return true;
  return false;
}

}  // namespace convoy_strategies
