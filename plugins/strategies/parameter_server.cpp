#include <convoy/strategy.hpp>

#include <memory>

#include "local_servers.hpp"
#include "network_servers.hpp"
#include "server_exchange.hpp"
#include "two_sets.hpp"
#include "workers.hpp"

namespace {

using convoy_strategies::kTwoSets;
using convoy_strategies::other_set;
using convoy_strategies::ServerExchange;

// Variables are kept in one place. In every step, all replicas fetch them, and their gradients are
// summed and applied where the variables are: on one host in its memory or on its devices, on
// several hosts at the parameter servers.
class ParameterServer : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const std::unique_ptr<ServerExchange> exchange = choose_exchange(p);
    if (p.flag("staged_vars")) return plan_staged(p, *exchange);
    if (p.option("variable_consistency") == "relaxed") return plan_relaxed(p, *exchange);
    exchange->fetch({});
    p.compute();
    exchange->update({});
  }

 private:
  static std::unique_ptr<ServerExchange> choose_exchange(convoy::Planner& p) {
    if (convoy_strategies::has_network(p))
      return std::make_unique<convoy_strategies::NetworkServers>(p);
    if (!p.flag("cross_replica_sync"))
      p.refuse(
          "cross_replica_sync=false is about several hosts, here is one: leave it out, or plan "
          "for more with --hosts");
    return std::make_unique<convoy_strategies::LocalServers>(p);
  }

  static void clear_gradients(convoy::Planner& p, convoy::SetId set) {
    for (const auto r : p.replicas()) p.fill(p.gradient(r, set), 0);
  }

  // Software pipeline: a step computes with the variables fetched during the previous step, and its
  // gradients are applied during the next step. Two sets alternate, so nothing is copied for it.
  static void plan_staged(convoy::Planner& p, ServerExchange& exchange) {
    p.prologue([&] {
      exchange.fetch(kTwoSets[0]);
      clear_gradients(p, kTwoSets[1]);
    });
    for (const convoy::SetId set : kTwoSets) {
      exchange.fetch(other_set(set));
      p.compute({.parameters_set = set, .gradient_set = set});
      exchange.update(other_set(set));
    }
  }

  // Gradients are applied one step late, so that summing them never delays the next step.
  static void plan_relaxed(convoy::Planner& p, ServerExchange& exchange) {
    p.prologue([&] { clear_gradients(p, kTwoSets[1]); });
    for (const convoy::SetId set : kTwoSets) {
      exchange.fetch({});
      p.compute({.gradient_set = set});
      exchange.update(other_set(set));
    }
  }
};

}  // namespace

CONVOY_STRATEGY(ParameterServer, "name=parameter_server", "version=0.1.0",
                "description=Variables in one place: fetched by all replicas every step, updated "
                "with the mean of their gradients; on several hosts with every worker's mean.",
                "claim=synchronous|stale|sequential|asynchronous",
                "option=local_parameter_device:enum:gpu:cpu|gpu:Where variables live: cpu = host "
                "memory, gpu = spread over the compute devices, whatever they are. Several hosts: "
                "where a worker keeps large variables that it has fetched.",
                "option=staged_vars:bool:false::Compute on values fetched one step earlier and "
                "apply gradients one step later; includes variable_consistency=relaxed.",
                "option=variable_consistency:enum:strong:strong|relaxed:relaxed = apply the "
                "gradients of the step before.",
                "variant=local_parameter_device=cpu", "variant=local_parameter_device=gpu",
                "option=cross_replica_sync:bool:true::Several hosts: false = no worker waits for "
                "another; fetches may be old and updates come in any order.",
                "option=variable_placement:enum:bytes:round_robin|bytes:Several hosts: which "
                "parameter server keeps a variable, the next one in turn or the one with the "
                "fewest bytes.",
                "needs=copy,fill,sum,apply,forward,backward")
