#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"

namespace convoy::graph {

// The index space that parameters, gradients, masters and optimizer state share: every variable's
// storage at an offset that is a multiple of kAlignment. Variables stand in reverse creation order,
// which is the order in which backward produces their gradients, so the ranges of the segments tile
// the arena downwards: the last segment is first. All numbers are elements. One arena belongs to
// one Graph; layouts are given in creation order.
class Arena {
 public:
  static constexpr uint64_t kAlignment = 16;  // 64 bytes of f32: a cache line, an AVX-512 vector

  explicit Arena(const Graph& graph);  // plain layouts
  // Throws Error if a layout cannot store its variable (a device proposed it).
  Arena(const Graph& graph, std::vector<convoy_layout> layouts);

  uint64_t elements() const { return elements_; }
  const convoy_layout& layout(uint64_t variable) const;
  // Storage of a variable, without the gap behind it.
  convoy_range range(uint64_t variable) const;
  // Storage of a segment's variables with the gaps behind them; never empty of variables except
  // for a graph without any.
  convoy_range segment_range(uint64_t segment) const;
  bool plain() const { return plain_; }
  uint64_t hash() const;  // hash of offsets and layouts; the same on every host

 private:
  std::vector<convoy_layout> layouts_;
  std::vector<uint64_t> first_;
  std::vector<convoy_range> segments_;
  uint64_t elements_ = 0;
  bool plain_ = true;
};

// The storage of the variables with weight decay, ascending.
std::vector<convoy_decay_range> decayed_ranges(const Graph& graph, const Arena& arena);

}  // namespace convoy::graph
