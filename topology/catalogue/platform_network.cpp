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

void PlatformNetwork::append(Machine& machine,
                             const std::vector<std::vector<Fact<double>>>& card_rates) {
  if (hosts_per_leaf_ == 0) {
    leaves_.push_back(append_switch(machine, "network"));
    return;
  }
  const std::size_t groups = (card_rates.size() + hosts_per_leaf_ - 1) / hosts_per_leaf_;
  for (const auto& of_host : card_rates)
    if (rails_) leaves_per_group_ = std::max(leaves_per_group_, of_host.size());
  for (std::size_t i = 0; i < groups * leaves_per_group_; ++i)
    leaves_.push_back(append_switch(machine, fmt::format("leaf{}", i)));
  if (leaves_.size() == 1) return;
  const std::size_t spine = append_switch(machine, "spine");
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Fact<double> rate{rate_below(i, card_rates),
                            "the cards below a full leaf, divided by the oversubscription"};
    machine.links.push_back({leaves_[i], spine, LinkKind::network, 1, rate, rate});
  }
}

// Returns the rate from a leaf to the spine: the sum over the cards of all hosts below. A leaf that
// is not full has the uplinks of a full one, whose other hosts have such cards, too.
double PlatformNetwork::rate_below(std::size_t leaf,
                                   const std::vector<std::vector<Fact<double>>>& card_rates) const {
  const std::size_t first = leaf / leaves_per_group_ * hosts_per_leaf_;
  const std::size_t end = std::min(first + hosts_per_leaf_, card_rates.size());
  std::vector<double> of_card;
  for (std::size_t host = first; host < end; ++host)
    for (std::size_t card = 0; card < card_rates[host].size(); ++card) {
      if (this->leaf(static_cast<std::uint32_t>(host), card) != leaves_[leaf]) continue;
      if (of_card.size() <= card) of_card.resize(card + 1, 0.0);
      of_card[card] += card_rates[host][card].value_or(0);
    }
  double rate = 0;
  for (const double it : of_card) rate += it / oversubscription_;
  return rate * hosts_per_leaf_ / static_cast<double>(end - first);
}

std::size_t PlatformNetwork::leaf(std::uint32_t host, std::size_t card) const {
  if (hosts_per_leaf_ == 0) return leaves_.front();
  const std::size_t group = host / hosts_per_leaf_;
  return leaves_.at(group * leaves_per_group_ + (rails_ ? card : 0));
}

}  // namespace convoy::topology
