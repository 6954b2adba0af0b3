#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/graph/machine.hpp"
#include "topology/read/described_file.hpp"

namespace convoy::topology {

// The network that joins the hosts of a platform: one switch without limits, or leaf switches below
// a spine. With rails, the cards with the same number are on the same leaves in all hosts.
class PlatformNetwork {
 public:
  PlatformNetwork() = default;
  explicit PlatformNetwork(DescribedObject object);

  // Adds the switches for hosts with cards of these rates, one list per host. The link between a
  // leaf and the spine has the rate of all cards below the leaf, divided by the oversubscription.
  void append(Machine& machine, const std::vector<std::vector<Fact<double>>>& card_rates);
  // Returns the switch that a host's card leads to.
  std::size_t leaf(std::uint32_t host, std::size_t card) const;

 private:
  std::size_t append_switch(Machine& machine, std::string name) const;
  double rate_below(std::size_t leaf,
                    const std::vector<std::vector<Fact<double>>>& card_rates) const;

  std::uint32_t hosts_per_leaf_ = 0;  // 0 = one switch for all
  double oversubscription_ = 1;
  bool rails_ = false;
  bool reduces_ = false;
  Fact<double> switch_seconds_;
  std::size_t leaves_per_group_ = 1;
  std::vector<std::size_t> leaves_;  // index: group of hosts * leaves_per_group + rail
};

}  // namespace convoy::topology
