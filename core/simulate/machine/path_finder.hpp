#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace convoy::simulate {

enum class PathKind { kLocal, kNvlink, kPcie, kNetwork };

// The links that data pass from one place to another, and the farthest kind among them. Over
// several network cards at once, the links of all ways, each with its share of the data.
struct Path {
  PathKind kind = PathKind::kLocal;
  std::vector<std::uint32_t> links;  // indices into SimulatedMachine::links
  std::vector<double> shares;        // of the same number; empty: all of them carry everything
  bool over_root = false;            // from device to device over a processor's root ports

  double share(std::size_t link) const { return shares.empty() ? 1 : shares[link]; }
};

// Whether a device may address another one's memory.
using ReachFinder = std::function<bool(std::uint32_t from, std::uint32_t to)>;

// Which of its host's memories lies nearest to a device, from 0 on.
using MemoryFinder = std::function<std::uint32_t(std::uint32_t device)>;

// Asked once per pair of places that a plan uses.
using PathFinder = std::function<Path(std::uint32_t from, std::uint32_t to)>;

}  // namespace convoy::simulate
