#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace convoy::simulate {

enum class PathKind { kLocal, kNvlink, kPcie, kNetwork };

// The links that data pass from one place to another, and the farthest kind among them. If the data
// use several network cards at once, these are the links of all ways, each with its share of the
// data.
struct Path {
  PathKind kind = PathKind::kLocal;
  std::vector<std::uint32_t> links;  // indices into SimulatedMachine::links
  std::vector<double> shares;        // one per link; empty: every link carries everything
  bool over_root = false;            // from device to device over a processor's root ports

  double share(std::size_t link) const { return shares.empty() ? 1 : shares[link]; }
};

// Returns whether a device may address another one's memory.
using ReachFinder = std::function<bool(std::uint32_t from, std::uint32_t to)>;

// Returns which of the memories of its host is nearest to a device, numbered from 0.
using MemoryFinder = std::function<std::uint32_t(std::uint32_t device)>;

// Returns whether network cards move the data of a device themselves: they share a PCI Express
// switch with it, or its memory is the processor's. Otherwise the data pass host memory.
using NearCardFinder = std::function<bool(std::uint32_t device)>;

// Is called once for each pair of places that a plan uses.
using PathFinder = std::function<Path(std::uint32_t from, std::uint32_t to)>;

}  // namespace convoy::simulate
