#pragma once

#include <convoy/planner.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "server_exchange.hpp"
#include "server_placement.hpp"
#include "workers.hpp"

namespace convoy_strategies {

// Servers for several hosts. Every variable crosses the network once per worker and step, into the
// worker's memory and from there to its devices. Every worker sums its devices' gradients in host
// memory and pushes the sum. The server applies the workers' means one after the other as they
// arrive.
class NetworkServers : public ServerExchange {
 public:
  explicit NetworkServers(convoy::Planner& p)
      : p_(p),
        synchronous_(p.flag("cross_replica_sync")),
        workers_(workers_of(p)),
        variables_(place_on_servers(p, p.option("variable_placement"))) {
    choose_caches();
  }

  void fetch(convoy::SetId set) override {
    for (std::size_t i = 0; i < variables_.size(); ++i)
      for (const Worker& worker : workers_) fetch(worker, i, set);
  }

  void update(convoy::SetId set) override {
    for (const PlacedRange& variable : variables_)
      for (const Worker& worker : workers_) push(worker, variable, set);
  }

 private:
  static constexpr std::size_t kOnHost = SIZE_MAX;

  // Chooses the device of a worker at which each fetched variable arrives. Small variables arrive
  // in host memory; 65,536 elements is the limit of tf_cnn_benchmarks.
  void choose_caches() {
    constexpr std::uint64_t kSmall = 65536;
    const bool on_host = p_.option("local_parameter_device") == "cpu";
    std::vector<std::uint64_t> load(workers_.front().replicas.size(), 0);
    for (const PlacedRange& variable : variables_) {
      caches_.push_back(kOnHost);
      if (on_host || variable.range.count < kSmall) continue;
      const auto least = std::min_element(load.begin(), load.end());
      *least += variable.range.count;
      caches_.back() = static_cast<std::size_t>(least - load.begin());
    }
  }

  void fetch(const Worker& worker, std::size_t index, convoy::SetId set) {
    const PlacedRange& variable = variables_[index];
    convoy::Span cached = p_.master(variable.server)[variable.range];
    const convoy::CopyOptions first{.relaxed = !synchronous_};
    convoy::CopyOptions second = first;
    const std::size_t cache = caches_[index] % std::max<std::size_t>(worker.replicas.size(), 1);
    const bool on_device = caches_[index] != kOnHost;
    if (on_device || variable.server != worker.host_place) {
      const convoy::Span target =
          on_device ? p_.parameters(worker.replicas[cache], set)[variable.range]
                    : convoy::Span(p_.scratch(worker.host_place, variable.range.count));
      p_.copy(target, cached, first);
      cached = target;
      second = {};
    }
    for (std::size_t r = 0; r < worker.replicas.size(); ++r)
      if (!on_device || r != cache)
        p_.copy(p_.parameters(worker.replicas[r], set)[variable.range], cached, second);
  }

  void push(const Worker& worker, const PlacedRange& variable, convoy::SetId set) {
    const std::uint64_t count = variable.range.count;
    convoy::Buffer sum = p_.scratch(worker.host_place, count);
    p_.sum(sum, gradients_of(p_, worker, variable.range, set));
    if (variable.server != worker.host_place) {
      const convoy::Buffer received = p_.scratch(variable.server, count);
      p_.copy(received, sum);
      sum = received;
    }
    p_.apply(p_.master(variable.server)[variable.range], sum,
             {.contributions = worker.replicas.size(), .any_order = !synchronous_});
  }

  convoy::Planner& p_;
  bool synchronous_;
  std::vector<Worker> workers_;
  std::vector<PlacedRange> variables_;
  std::vector<std::size_t> caches_;
};

}  // namespace convoy_strategies
