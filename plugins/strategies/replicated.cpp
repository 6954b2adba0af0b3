#include <convoy/strategy.hpp>

#include <vector>

#include "all_reduce_spec.hpp"
#include "gradient_packs.hpp"
#include "gradient_reducers.hpp"
#include "hierarchical_reducer.hpp"
#include "spec_reducer.hpp"
#include "two_sets.hpp"

namespace {

using convoy_strategies::AllReduceRange;
using convoy_strategies::kTwoSets;
using convoy_strategies::Reducer;

// Every replica keeps all variables and its own optimizer state. Each step the gradients are summed
// over the replicas, then every replica applies the sum to its own copy.
class Replicated : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const std::vector<convoy::Range> packs = convoy_strategies::gradient_packs(p);
    const Reducer reduce = choose_reducer(p);
    if (p.option("variable_consistency") == "relaxed") return plan_relaxed(p, packs, reduce);
    p.compute();
    update(p, packs, reduce, {});
  }

 private:
  // The gradients of a step are reduced and applied while the next one computes into the other set;
  // the first step applies zeros.
  static void plan_relaxed(convoy::Planner& p, const std::vector<convoy::Range>& packs,
                           const Reducer& reduce) {
    p.prologue([&] {
      for (const auto r : p.replicas()) p.fill(p.gradient(r, kTwoSets[1]), 0);
    });
    for (const convoy::SetId set : kTwoSets) {
      p.compute({.gradient_set = set});
      update(p, packs, reduce, convoy_strategies::other_set(set));
    }
  }

  static void update(convoy::Planner& p, const std::vector<convoy::Range>& packs,
                     const Reducer& reduce, convoy::SetId set) {
    for (std::size_t i = 0; i < packs.size(); ++i) {
      reduce(p, p.all_gradients(packs[i], set), i);
      for (const auto r : p.replicas())
        p.apply(p.parameters(r)[packs[i]], p.gradient(r, set)[packs[i]]);
    }
  }

  // all_reduce_spec and hierarchical_copy take precedence over local_parameter_device.
  static Reducer choose_reducer(const convoy::Planner& p) {
    const std::string spec = p.option("all_reduce_spec");
    if (!spec.empty()) {
      if (p.flag("hierarchical_copy"))
        p.refuse(
            "all_reduce_spec and hierarchical_copy both say how gradients are summed; leave out "
            "one of them");
      const std::vector<AllReduceRange> ranges = convoy_strategies::parse_all_reduce_spec(spec);
      if (ranges.size() > 1)
        p.refuse("all_reduce_spec '" + spec +
                 "' has several ranges, which replicated does not take; name one algorithm");
      return convoy_strategies::spec_reducer(p, ranges.front());
    }
    if (p.flag("hierarchical_copy") && convoy_strategies::has_network(p))
      p.refuse("hierarchical_copy is about the devices of one host; name an all_reduce_spec");
    if (p.flag("hierarchical_copy"))
      return convoy_strategies::hierarchical_reducer(p, p.option("network_topology"));
    if (convoy_strategies::has_network(p)) return convoy_strategies::own_all_reduce(p, 1);
    const bool on_host = p.option("local_parameter_device") == "cpu";
    return on_host ? convoy_strategies::reduce_on_host : convoy_strategies::reduce_in_turn;
  }
};

}  // namespace

CONVOY_STRATEGY(
    Replicated, "name=replicated", "version=0.1.0",
    "description=Every device keeps all variables; gradients are summed over the devices and "
    "applied by each.",
    "claim=synchronous|stale",
    "option=all_reduce_spec:string:::How gradients are summed. Empty: copied to one place, summed "
    "there and copied back, places taking turns (several hosts: collective). pscpu, psgpu[#shards] "
    "or xring[#shards]; collective = the devices' own all-reduce; nccl = the same, on CUDA devices "
    "only. Several hosts: these, or INSIDE/BETWEEN hosts as nccl/xring, nccl/rechd, nccl/pscpu or "
    "pscpu/pscpu.",
    "option=local_parameter_device:enum:gpu:cpu|gpu:Where gradients are summed without a spec: "
    "cpu = host memory, gpu = the compute devices in turn.",
    CONVOY_GRADIENT_PACK_OPTIONS,
    "option=hierarchical_copy:bool:false::Sum inside each half of the devices, then across; not "
    "with all_reduce_spec.",
    "option=network_topology:enum:dgx1:dgx1|gcp_v100:Which pairs of devices bridge the halves.",
    "option=variable_consistency:enum:strong:strong|relaxed:relaxed = apply the gradients of the "
    "step before.",
    "variant=all_reduce_spec=collective", "variant=all_reduce_spec=nccl",
    "variant=all_reduce_spec=pscpu", "variant=all_reduce_spec=psgpu",
    "variant=all_reduce_spec=xring", "variant=local_parameter_device=gpu",
    "variant=local_parameter_device=cpu", "variant=hierarchical_copy=true",
    "needs=copy,fill,add,sum,all_reduce,reduce,broadcast,apply,forward,backward")
