#include <convoy/strategy.hpp>

#include <algorithm>
#include <vector>

namespace {

void exchange(convoy::Planner& p, convoy::PlaceId server, const std::vector<convoy::Span>& sums,
              convoy::Range range) {
  std::vector<convoy::Span> pieces = sums;
  for (auto& piece : pieces) piece = convoy::part(piece, range.first, range.count);
  const convoy::Buffer total = p.scratch(server, range.count);
  p.sum(total, pieces);
  for (const auto& piece : pieces) p.copy(piece, total);
}

// BytePS (Jiang et al., 2020): host memories sum the gradients of all devices, and devices apply
// the sums. There are n hosts with devices and k hosts without. Each of the former sums n - k parts
// and each of the latter 2 (n - 1) parts of n (n - k) + 2 k (n - 1), so that all network cards are
// equally busy.
class BytePs : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const auto workers = p.groups(convoy::Sharing::kHost);
    std::vector<convoy::PlaceId> servers;  // the workers' own ones come first
    servers.reserve(workers.size());
    for (const auto& worker : workers) servers.push_back(p.host_place(worker.front()));
    for (const auto place : p.places())
      if (p.place(place).kind == convoy::PlaceKind::kHost && !std::ranges::count(servers, place))
        servers.push_back(place);
    const std::uint64_t n = workers.size(), k = servers.size() - n;
    const std::uint64_t own = n - std::min(n, k), extra = 2 * (n - 1), all = n * own + k * extra;
    p.compute();
    for (const convoy::Range bucket : p.buckets()) {
      std::vector<convoy::Span> sums;  // of every worker's devices, then of all workers
      for (std::size_t w = 0; w < n; ++w) {
        std::vector<convoy::Span> gradients;
        for (const auto r : workers[w]) gradients.push_back(p.gradient(r)[bucket]);
        sums.push_back(p.scratch(servers[w], bucket.count));
        p.sum(sums.back(), gradients);
      }
      for (std::uint64_t s = 0, parts = 0, first = 0; s < servers.size() && n > 1; ++s) {
        parts += s < n ? own : extra;
        const std::uint64_t end = bucket.count * parts / all;
        if (end > first) exchange(p, servers[s], sums, {first, end - first});
        first = end;
      }
      for (std::size_t w = 0; w < n; ++w)
        for (const auto r : workers[w]) {
          p.copy(p.gradient(r)[bucket], sums[w]);
          p.apply(p.parameters(r)[bucket], p.gradient(r)[bucket]);
        }
    }
  }
};

}  // namespace

CONVOY_STRATEGY(BytePs, "name=byteps", "version=0.1.0",
                "description=Hosts sum gradients in memory, hosts without devices most of them.",
                "claim=synchronous", "needs=forward,backward,sum,copy,apply")
