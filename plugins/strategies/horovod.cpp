#include <convoy/strategy.hpp>

#include <string>

#include "gradient_packs.hpp"
#include "gradient_reducers.hpp"
#include "workers.hpp"

namespace {

// Training as Horovod's users write it: one process per device, a ring through all of them. Every
// process keeps all variables and applies the sum of all gradients. Packs of gradients are summed
// as they become ready, which Horovod calls tensor fusion.
class Horovod : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    require_one_device_per_process(p);
    const convoy_strategies::Reducer ring =
        convoy_strategies::collective_reducer(convoy::Algorithm::kRing, 1);
    const std::vector<convoy::Range> packs = convoy_strategies::gradient_packs(p);
    p.compute();
    for (std::size_t i = 0; i < packs.size(); ++i) {
      if (p.replica_count() > 1) ring(p, p.all_gradients(packs[i]), i);
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[packs[i]], p.gradient(r)[packs[i]]);
    }
  }

 private:
  static void require_one_device_per_process(const convoy::Planner& p) {
    for (const convoy_strategies::Worker& worker : convoy_strategies::workers_of(p))
      if (worker.replicas.size() > 1)
        p.refuse(
            "a process has " + std::to_string(worker.replicas.size()) +
            " devices, and horovod has one process per device: take --num_devices=1 and start "
            "as many processes, e.g. mpirun -np " +
            std::to_string(worker.replicas.size()) +
            " convoy run ...; where a process has several devices, as when hosts with several "
            "GPUs are simulated, take collective_all_reduce, which sums over all of them, too");
  }
};

}  // namespace

CONVOY_STRATEGY(
    Horovod, "name=horovod", "version=0.1.0",
    "description=One process per device keeps all variables; gradients are summed by a ring "
    "through "
    "all processes and applied by each.",
    "claim=synchronous", "auto=false", CONVOY_GRADIENT_PACK_OPTIONS,
    "needs=all_reduce,apply,forward,backward")
