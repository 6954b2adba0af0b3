#include "topology/catalogue/platform_network.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::topology {

PlatformNetwork::PlatformNetwork(DescribedObject object) {
  hosts_per_leaf_ = object.count("hosts_per_leaf", 1);
  oversubscription_ = object.number_or("oversubscription", 1);
  if (oversubscription_ < 1)
    object.reject("oversubscription",
                  fmt::format("is {}: how many times what a leaf's uplinks carry its cards can "
                              "send, at least 1",
                              oversubscription_));
  rails_ = object.flag_or("rails", false);
  reduces_ = object.flag_or("reduces", false);
  switch_seconds_ = object.constant_or_unknown("switch_seconds");
  object.finish();
}

std::size_t PlatformNetwork::append_switch(Machine& machine, std::string name) const {
  Node node;
  node.kind = NodeKind::network;
  node.name = std::move(name);
  node.network_step_seconds = switch_seconds_;
  node.reduces = reduces_;
  machine.nodes.push_back(std::move(node));
  return machine.nodes.size() - 1;
}

void PlatformNetwork::append(Machine& machine, std::uint32_t hosts,
                             const std::vector<Fact<double>>& card_rates) {
  if (hosts_per_leaf_ == 0) {
    leaves_.push_back(append_switch(machine, "network"));
    return;
  }
  const std::uint32_t groups = (hosts + hosts_per_leaf_ - 1) / hosts_per_leaf_;
  leaves_per_group_ = rails_ ? card_rates.size() : 1;
  for (std::uint32_t i = 0; i < groups * leaves_per_group_; ++i)
    leaves_.push_back(append_switch(machine, fmt::format("leaf{}", i)));
  if (leaves_.size() == 1) return;
  const std::size_t spine = append_switch(machine, "spine");
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const std::uint32_t first = static_cast<std::uint32_t>(i / leaves_per_group_) * hosts_per_leaf_;
    const double below = std::min(hosts_per_leaf_, hosts - first);
    Fact<double> rate{0, "the cards below the leaf, divided by the oversubscription"};
    for (std::size_t card = 0; card < card_rates.size(); ++card)
      if (leaf(first, card) == leaves_[i])
        *rate.value += below * card_rates[card].value_or(0) / oversubscription_;
    machine.links.push_back({leaves_[i], spine, LinkKind::network, 1, rate, rate});
  }
}

std::size_t PlatformNetwork::leaf(std::uint32_t host, std::size_t card) const {
  if (hosts_per_leaf_ == 0) return leaves_.front();
  const std::size_t group = host / hosts_per_leaf_;
  return leaves_.at(group * leaves_per_group_ + (rails_ ? card : 0));
}

}  // namespace convoy::topology
