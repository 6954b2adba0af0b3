#include "core/simulate/flows/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace convoy::simulate {

FlowNetwork::FlowNetwork(std::vector<LinkCapacity> links) : shares_(std::move(links)) {}

std::uint32_t FlowNetwork::add(Ticks now, double bytes, std::span<const LinkShare> shares,
                               double limit) {
  std::uint32_t flow = 0;
  if (free_.empty()) {
    flow = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
    shares_.flows.emplace_back();
  } else {
    flow = free_.back();
    free_.pop_back();
  }
  FairShares::Flow& it = shares_.flows[flow];
  it.links = shares;
  it.limit = limit;
  shares_.insert(flow);
  flows_[flow].bytes_left = bytes;
  flows_[flow].rate = 0;
  flows_[flow].since = now;
  touched_flows_.push_back(flow);
  return flow;
}

void FlowNetwork::set_limit(std::uint32_t flow, double limit) {
  shares_.flows[flow].limit = limit;
  touched_flows_.push_back(flow);
}

void FlowNetwork::set_capacity(std::uint32_t link, double bytes_per_second) {
  shares_.set_capacity(link, bytes_per_second);
  touched_links_.push_back(link);
}

void FlowNetwork::finish(std::uint32_t flow) {
  touch_links(flow);
  shares_.erase(flow);
  free_.push_back(flow);
}

void FlowNetwork::touch_links(std::uint32_t flow) {
  for (const LinkShare& share : shares_.flows[flow].links) touched_links_.push_back(share.link);
}

const std::vector<FlowNetwork::End>& FlowNetwork::update(Ticks now) {
  ends_.clear();
  if (touched_links_.empty() && touched_flows_.empty()) return ends_;
  for (const std::uint32_t flow : shares_.share(touched_links_, touched_flows_)) {
    Progress& it = flows_[flow];
    const double rate = shares_.flows[flow].rate;
    if (rate == it.rate) continue;
    it.bytes_left = std::max(0.0, it.bytes_left - it.rate * to_seconds(now - it.since));
    it.rate = rate;
    it.since = now;
    const Ticks left = std::isinf(rate) ? 0 : to_ticks(it.bytes_left / rate);
    ends_.push_back({flow, now + left});
  }
  touched_links_.clear();
  touched_flows_.clear();
  return ends_;
}

}  // namespace convoy::simulate
