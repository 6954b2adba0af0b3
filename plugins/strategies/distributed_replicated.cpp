#include <convoy/strategy.hpp>

#include <vector>

#include "server_placement.hpp"
#include "workers.hpp"

namespace {

using convoy_strategies::PlacedRange;
using convoy_strategies::Worker;

// Every device has a copy of all variables for its computation. The parameter servers keep the
// variables themselves. In each step, every worker sums the gradients of its devices and pushes the
// sum. The server applies the workers' means one after the other. When all have been applied, every
// worker pulls the new value once and copies it to its devices. Variables are exchanged
// independently of each other.
class DistributedReplicated : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    if (!p.flag("cross_replica_sync"))
      p.refuse(
          "cross_replica_sync=false: workers pull when all of them have pushed; leave it out, or "
          "take variable_update=parameter_server");
    const std::vector<Worker> workers = convoy_strategies::workers_of(p);
    const std::vector<PlacedRange> variables =
        convoy_strategies::place_on_servers(p, p.option("variable_placement"));
    p.compute();
    for (std::size_t i = 0; i < variables.size(); ++i) {
      for (const Worker& worker : workers) push(p, worker, variables[i], i);
      for (const Worker& worker : workers) pull(p, worker, variables[i]);
    }
  }

 private:
  static void push(convoy::Planner& p, const Worker& worker, const PlacedRange& variable,
                   std::size_t index) {
    convoy::Span sum = local_sum(p, worker, variable.range, index);
    if (variable.server != worker.host_place) {
      const convoy::Buffer received = p.scratch(variable.server, variable.range.count);
      p.copy(received, sum);
      sum = received;
    }
    p.apply(p.master(variable.server)[variable.range], sum,
            {.contributions = worker.replicas.size()});
  }

  // Returns the sum on the worker's host, or in place on its device i mod n.
  static convoy::Span local_sum(convoy::Planner& p, const Worker& worker, convoy::Range range,
                                std::size_t index) {
    const std::vector<convoy::Span> gradients = convoy_strategies::gradients_of(p, worker, range);
    const bool on_host = p.option("local_parameter_device") == "cpu";
    const convoy::Span sum = on_host ? convoy::Span(p.scratch(worker.host_place, range.count))
                                     : gradients[index % gradients.size()];
    if (on_host || gradients.size() > 1) p.sum(sum, gradients);
    return sum;
  }

  static void pull(convoy::Planner& p, const Worker& worker, const PlacedRange& variable) {
    convoy::Span pulled = p.master(variable.server)[variable.range];
    if (variable.server != worker.host_place) {
      pulled = p.scratch(worker.host_place, variable.range.count);
      p.copy(pulled, p.master(variable.server)[variable.range]);
    }
    for (const auto r : worker.replicas) p.copy(p.parameters(r)[variable.range], pulled);
  }
};

}  // namespace

CONVOY_STRATEGY(
    DistributedReplicated, "name=distributed_replicated", "version=0.1.0",
    "description=Every device keeps a copy of all variables; the workers' mean gradients are "
    "applied one after the other by parameter servers and the new values pulled back.",
    "claim=sequential",
    "option=local_parameter_device:enum:gpu:cpu|gpu:Where a worker sums its devices' gradients: "
    "cpu = host memory, gpu = its devices in turn.",
    "option=variable_placement:enum:round_robin:round_robin|bytes:Which parameter server keeps a "
    "variable: the next one in turn, or the one with the fewest bytes.",
    "option=cross_replica_sync:bool:true::Workers meet every step; false is refused.",
    "needs=copy,sum,apply,forward,backward")
