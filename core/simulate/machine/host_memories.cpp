#include "core/simulate/machine/host_memories.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace convoy::simulate {
namespace {

// The package around a memory, else the memory itself.
std::size_t package_around(const topology::Machine& machine, std::size_t memory) {
  for (std::optional<std::size_t> at = memory; at; at = machine.nodes[*at].parent)
    if (machine.nodes[*at].kind == topology::NodeKind::package) return *at;
  return memory;
}

}  // namespace

std::vector<std::uint32_t> packages_of(const topology::Machine& machine,
                                       const std::vector<std::size_t>& memories) {
  std::map<std::size_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> packages;
  packages.reserve(memories.size());
  for (const std::size_t memory : memories) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    packages.push_back(numbers.try_emplace(package_around(machine, memory), next).first->second);
  }
  return packages;
}

double memory_rate(const topology::Machine& machine, const std::vector<std::size_t>& memories,
                   double package_bytes_per_second) {
  const std::vector<std::uint32_t> packages = packages_of(machine, memories);
  double rate = 0;
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const auto sharers = static_cast<double>(std::ranges::count(packages, packages[i]));
    rate += machine.nodes[memories[i]].memory_bytes_per_second.value_or(package_bytes_per_second /
                                                                        sharers);
  }
  return rate;
}

}  // namespace convoy::simulate
