#include "core/simulate/collectives/double_tree.hpp"

#include <bit>

namespace convoy::simulate {
namespace {

// Hosts are numbered in order: odd numbers are leaves, and the lowest set bit of a number is its
// height. Host 0 is the root, above the largest power of two.
std::uint32_t parent_of(std::uint32_t host, std::uint32_t hosts) {
  const std::uint32_t bit = host & (~host + 1);
  const std::uint32_t above = (host ^ bit) | (bit << 1);
  return above < hosts ? above : host ^ bit;
}

}  // namespace

DoubleTree make_double_tree(std::uint32_t hosts) {
  DoubleTree tree;
  if (hosts < 2) return tree;
  tree.depth = static_cast<std::uint32_t>(std::bit_width(hosts - 1));
  for (std::uint32_t host = 1; host < hosts; ++host) {
    const std::uint32_t parent = parent_of(host, hosts);
    tree.first.emplace_back(host, parent);
    // Mirrored for even numbers of hosts, shifted by one for odd ones: leaves become inner hosts.
    const auto other = [&](std::uint32_t it) {
      return hosts % 2 == 0 ? hosts - 1 - it : (it + 1) % hosts;
    };
    tree.second.emplace_back(other(host), other(parent));
  }
  return tree;
}

}  // namespace convoy::simulate
