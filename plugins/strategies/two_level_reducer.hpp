#pragma once

#include <convoy/planner.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "gradient_reducers.hpp"
#include "workers.hpp"

namespace convoy_strategies {

// Hosts are in gather groups of `shards`. Pack t is cut over the hosts of group t mod the number of
// groups. Each of them sums its part and sends it back.
inline void reduce_on_hosts(convoy::Planner& p, const std::vector<Worker>& workers,
                            const Spans& spans, std::uint64_t shards, std::size_t index) {
  const std::uint64_t groups = (workers.size() + shards - 1) / shards;
  std::uint64_t member = index % groups;
  for (const convoy::Range range : convoy::split({0, spans.front().count}, shards)) {
    sum_at(p, workers[member % workers.size()].host_place, part_of_all(spans, range));
    member += groups;
  }
}

// Recursive halving and doubling: partners at a distance exchange and add halves of their data, and
// the distance halves each time. Then they send the sums back in the reverse order. The number of
// spans must be a power of two.
inline void reduce_by_halving(convoy::Planner& p, const Spans& spans) {
  const std::size_t n = spans.size();
  const auto part = [&](std::size_t of, convoy::Range range) {
    return convoy::part(spans[of], range.first, range.count);
  };
  std::vector<convoy::Range> own(n, {0, spans.front().count});
  for (std::size_t distance = n / 2; distance > 0; distance /= 2)
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t half = own[i].count / 2;
      if ((i & distance) == 0)
        own[i].count = half;
      else
        own[i] = {own[i].first + half, own[i].count - half};
      if (own[i].count > 0) p.sum(part(i, own[i]), {part(i, own[i]), part(i ^ distance, own[i])});
    }
  for (std::size_t distance = 1; distance < n; distance *= 2) {
    const std::vector<convoy::Range> before = own;
    for (std::size_t i = 0; i < n; ++i) {
      const convoy::Range other = before[i ^ distance];
      if (other.count > 0) p.copy(part(i, other), part(i ^ distance, other));
      own[i] = {std::min(own[i].first, other.first), own[i].count + other.count};
    }
  }
}

// Reduces inside every host to one span, then between the hosts, and copies back inside every host.
// `inside` is nccl (the first device, with the devices' own collectives) or pscpu (host memory);
// `between` is xring, rechd or pscpu.
class TwoLevelReducer {
 public:
  TwoLevelReducer(const convoy::Planner& p, const std::string& algorithm, std::uint64_t shards)
      : workers_(workers_of(p)), shards_(shards) {
    const std::size_t slash = algorithm.find('/');
    on_devices_ = algorithm.substr(0, slash) == "nccl";
    between_ = algorithm.substr(slash + 1);
    const std::string spec = "all_reduce_spec " + algorithm;
    if (between_ == "rechd" && !std::has_single_bit(workers_.size()))
      p.refuse(spec + " needs a number of hosts that is a power of two, here are " +
               std::to_string(workers_.size()) + "; take nccl/xring");
    const std::uint64_t most = between_ == "pscpu" && on_devices_ ? workers_.size() : 1;
    if (shards > most)
      p.refuse(spec + "#" + std::to_string(shards) + ": at most " + std::to_string(most) +
               " shards on this cluster; ask for fewer");
  }

  void operator()(convoy::Planner& p, const Spans& gradients, std::size_t index) const {
    Spans leaders;
    for (const Worker& worker : workers_) leaders.push_back(gather(p, worker, gradients));
    if (between_ == "xring")
      p.all_reduce(leaders, {.algorithm = convoy::Algorithm::kRing});
    else if (between_ == "rechd")
      reduce_by_halving(p, leaders);
    else
      reduce_on_hosts(p, workers_, leaders, shards_, on_devices_ ? index : 0);
    for (std::size_t w = 0; w < workers_.size(); ++w) spread(p, workers_[w], gradients, leaders[w]);
  }

 private:
  static Spans members(const Worker& worker, const Spans& gradients) {
    Spans spans;
    for (const auto r : worker.replicas) spans.push_back(gradients[r.index()]);
    return spans;
  }

  convoy::Span gather(convoy::Planner& p, const Worker& worker, const Spans& gradients) const {
    const Spans spans = members(worker, gradients);
    if (on_devices_) {
      if (spans.size() > 1) p.reduce(spans.front(), spans);
      return spans.front();
    }
    const convoy::Buffer sum = p.scratch(worker.host_place, spans.front().count);
    p.sum(sum, spans);
    return sum;
  }

  void spread(convoy::Planner& p, const Worker& worker, const Spans& gradients,
              convoy::Span total) const {
    const Spans spans = members(worker, gradients);
    if (on_devices_) {
      if (spans.size() > 1) p.broadcast(Spans(spans.begin() + 1, spans.end()), total);
      return;
    }
    for (const convoy::Span& gradient : spans) p.copy(gradient, total);
  }

  std::vector<Worker> workers_;
  std::uint64_t shards_;
  bool on_devices_ = false;
  std::string between_;
};

}  // namespace convoy_strategies
