#pragma once

#include <convoy/planner.hpp>

#include <vector>

#include "server_exchange.hpp"
#include "server_placement.hpp"

namespace convoy_strategies {

// Servers on one host. With local_parameter_device=gpu, every bucket is cut evenly over the compute
// devices, which balances any model. With cpu, the host keeps all variables. There is one update
// per step.
class LocalServers : public ServerExchange {
 public:
  explicit LocalServers(convoy::Planner& p) : p_(p) {
    const bool on_host = p.option("local_parameter_device") == "cpu";
    for (const convoy::Range bucket : p.buckets()) {
      if (on_host) {
        shards_.push_back({bucket, p.host_place(convoy::ReplicaId(0))});
        continue;
      }
      std::uint32_t replica = 0;
      for (const convoy::Range piece : convoy::split(bucket, p.replica_count()))
        shards_.push_back({piece, p.replica_place(convoy::ReplicaId(replica++))});
    }
  }

  void fetch(convoy::SetId set) override {
    for (const PlacedRange& shard : shards_)
      for (const auto r : p_.replicas())
        p_.copy(p_.parameters(r, set)[shard.range], p_.master(shard.server)[shard.range]);
  }

  void update(convoy::SetId set) override {
    for (const PlacedRange& shard : shards_) {
      const convoy::Buffer total = p_.scratch(shard.server, shard.range.count);
      p_.sum(total, p_.all_gradients(shard.range, set));
      p_.apply(p_.master(shard.server)[shard.range], total);
    }
  }

 private:
  convoy::Planner& p_;
  std::vector<PlacedRange> shards_;
};

}  // namespace convoy_strategies
