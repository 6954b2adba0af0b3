#include "tests/network/cluster.hpp"

#include <future>

#include "tests/support/thrown_text.hpp"

namespace convoy::network {

ControlOptions Cluster::options(Role role, int index) const {
  ControlOptions options;
  options.identity.role = role;
  options.identity.index = index;
  options.identity.workers = workers;
  options.identity.servers = servers;
  options.identity.coordinator = HostPort{"127.0.0.1", port};
  options.join_timeout = join_timeout;
  options.peer_timeout = peer_timeout;
  options.security = security;
  options.wire = wire;
  return options;
}

std::vector<std::string> run_tasks(const Cluster& cluster, const Body& body,
                                   const std::function<void(ControlOptions&, int rank)>& change) {
  std::vector<std::future<std::string>> tasks;
  tasks.reserve(cluster.workers + cluster.servers);
  for (int rank = 0; rank < cluster.workers + cluster.servers; ++rank)
    tasks.push_back(std::async(std::launch::async, [&, rank]() -> std::string {
      const bool worker = rank < cluster.workers;
      ControlOptions options = cluster.options(worker ? Role::kWorker : Role::kServer,
                                               worker ? rank : rank - cluster.workers);
      change(options, rank);
      return thrown_text([&] {
        ControlPlane control(options, {});
        body(control, rank);
      });
    }));
  std::vector<std::string> texts;
  texts.reserve(tasks.size());
  for (auto& task : tasks) texts.push_back(task.get());
  return texts;
}

}  // namespace convoy::network
