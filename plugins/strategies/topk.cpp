#include <convoy/strategy.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

// Sparse gradients (Aji and Heafield, 2017; Stich et al., 2018): every replica sends only its
// largest gradients, and adds the others to the gradients of the next step.
class TopK : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const double ratio = p.number("ratio");
    if (!(ratio > 0 && ratio <= 1)) p.refuse("ratio is above 0 and at most 1");
    p.compute();
    for (const convoy::Range range : p.buckets()) {
      const double share = std::ceil(ratio * static_cast<double>(range.count));
      exchange(p, range,
               std::clamp<std::uint64_t>(static_cast<std::uint64_t>(share), 1, range.count));
    }
  }

 private:
  static void exchange(convoy::Planner& p, convoy::Range range, std::uint64_t k) {
    const std::uint64_t n = p.replica_count();
    std::vector<convoy::Span> values, indices, all_values, all_indices;
    for (const auto r : p.replicas()) {
      const convoy::PlaceId here = p.replica_place(r);
      const convoy::Buffer residual = p.persistent(here, range.count);
      p.name(residual, "residual");
      p.add(residual, residual, p.gradient(r)[range]);
      all_values.push_back(p.scratch(here, n * k));
      all_indices.push_back(p.scratch(here, n * k, convoy::Dtype::kI32));
      values.push_back(convoy::part(all_values.back(), r.index() * k, k));
      indices.push_back(convoy::part(all_indices.back(), r.index() * k, k));
      p.top_k(values.back(), indices.back(), residual, residual);
    }
    p.all_gather(all_values, values);
    p.all_gather(all_indices, indices);
    for (const auto r : p.replicas()) {
      const convoy::Span sum = p.gradient(r)[range];
      p.scatter(sum, all_values[r.index()], all_indices[r.index()], {.messages = n});
      p.apply(p.parameters(r)[range], sum);
    }
  }
};

}  // namespace

CONVOY_STRATEGY(TopK, "name=topk", "version=0.1.0",
                "description=Devices exchange only their largest gradients and keep the others for "
                "later steps (error feedback).",
                "claim=approximate",
                "option=ratio:float:0.01::Fraction of the gradient elements that a device sends in "
                "a step, above 0 and at most 1.",
                "needs=forward,backward,add,top_k,all_gather,scatter,apply")
