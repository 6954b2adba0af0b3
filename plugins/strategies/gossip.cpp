#include <convoy/strategy.hpp>

#include <vector>

namespace {

// Decentralised SGD (Lian et al., 2017): after every step, a replica averages its parameters only
// with those of its neighbours on a ring.
class Gossip : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    p.compute();
    const auto replicas = p.replicas();
    const std::size_t n = replicas.size();
    std::vector<std::size_t> distances;  // around the ring
    if (n > 1) distances.push_back(1);
    if (n > 2) distances.push_back(n - 1);
    const double own = n > 2 ? 1.0 / 2 : 1.0 / static_cast<double>(n);
    for (const convoy::Range range : p.buckets()) {
      for (const auto r : replicas)
        p.apply(p.parameters(r)[range], p.gradient(r)[range], {.contributions = 1});
      std::vector<std::vector<convoy::Span>> heard(n);
      for (std::size_t r = 0; r < n; ++r)
        for (const std::size_t distance : distances) {
          heard[r].push_back(p.scratch(p.replica_place(replicas[r]), range.count));
          p.copy(heard[r].back(), p.parameters(replicas[(r + distance) % n])[range]);
        }
      for (std::size_t r = 0; r < n && n > 1; ++r) {
        const convoy::Span mine = p.parameters(replicas[r])[range];
        p.scale(mine, mine, own);
        for (const convoy::Span& other : heard[r])
          p.axpy(mine, (1 - own) / static_cast<double>(heard[r].size()), other, mine);
      }
    }
  }
};

}  // namespace

CONVOY_STRATEGY(Gossip, "name=gossip", "version=0.1.0",
                "description=Every device averages its parameters with its two neighbours on a "
                "ring after every step.",
                "claim=approximate", "needs=forward,backward,apply,copy,scale,axpy")
