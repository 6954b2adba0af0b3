#include "core/simulate/fair_shares.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::simulate {
namespace {

constexpr double kGrowing = -1;  // instead of a rate

}  // namespace

FairShares::FairShares(std::vector<LinkCapacity> links) {
  links_.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    CONVOY_CHECK(links[i].bytes_per_second > 0);
    links_[i].capacity = links[i];
  }
}

void FairShares::insert(std::uint32_t flow) {
  Flow& it = flows[flow];
  it.active = true;
  it.places.clear();
  for (std::uint32_t i = 0; i < it.links.size(); ++i) {
    Link& link = links_[it.links[i].link];
    it.places.push_back(static_cast<std::uint32_t>(link.flows.size()));
    link.flows.push_back(flow);
    link.indices.push_back(i);
  }
}

void FairShares::erase(std::uint32_t flow) {
  Flow& it = flows[flow];
  for (std::size_t i = 0; i < it.links.size(); ++i) {
    Link& link = links_[it.links[i].link];
    const std::uint32_t place = it.places[i];
    link.flows[place] = link.flows.back();
    link.indices[place] = link.indices.back();
    flows[link.flows[place]].places[link.indices[place]] = place;
    link.flows.pop_back();
    link.indices.pop_back();
  }
  it.active = false;
}

void FairShares::set_capacity(std::uint32_t link, double bytes_per_second) {
  CONVOY_CHECK(bytes_per_second > 0);
  links_[link].capacity.bytes_per_second = bytes_per_second;
}

const std::vector<std::uint32_t>& FairShares::share(std::span<const std::uint32_t> links,
                                                    std::span<const std::uint32_t> touched) {
  ++mark_;
  component_links_.clear();
  component_flows_.clear();
  for (const std::uint32_t link : links) visit_link(link);
  for (const std::uint32_t flow : touched)
    if (flows[flow].active) visit_flow(flow);
  // The list grows while it is walked.
  for (std::size_t next = 0; next < component_links_.size(); ++next)
    for (const std::uint32_t flow : links_[component_links_[next]].flows) visit_flow(flow);
  std::sort(component_flows_.begin(), component_flows_.end());
  fill();
  return component_flows_;
}

void FairShares::visit_link(std::uint32_t link) {
  Link& it = links_[link];
  if (it.mark == mark_) return;
  it.mark = mark_;
  component_links_.push_back(link);
}

void FairShares::visit_flow(std::uint32_t flow) {
  Flow& it = flows[flow];
  if (it.mark == mark_) return;
  it.mark = mark_;
  component_flows_.push_back(flow);
  for (const LinkShare& share : it.links) visit_link(share.link);
}

double FairShares::fair_rate(const Link& link) const {
  return std::max(0.0, link.left) / link.weight;
}

void FairShares::push(const Candidate& candidate) {
  heap_.push_back(candidate);
  std::push_heap(heap_.begin(), heap_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.rate, a.is_flow, a.index) > std::tie(b.rate, b.is_flow, b.index);
  });
}

void FairShares::fill() {
  heap_.clear();
  for (const std::uint32_t flow : component_flows_) flows[flow].rate = kGrowing;
  for (const std::uint32_t index : component_links_) {
    Link& link = links_[index];
    if (link.flows.empty()) continue;
    const auto senders = static_cast<double>(link.flows.size());
    link.left = link.capacity.bytes_per_second / (1 + link.capacity.incast_loss * (senders - 1));
    link.weight = 0;
    link.growing = static_cast<std::uint32_t>(link.flows.size());
    for (std::size_t i = 0; i < link.flows.size(); ++i)
      link.weight += flows[link.flows[i]].links[link.indices[i]].weight;
    push({fair_rate(link), index, false});
  }
  for (const std::uint32_t flow : component_flows_)
    if (flows[flow].limit < std::numeric_limits<double>::infinity() || flows[flow].links.empty())
      push({flows[flow].limit, flow, true});
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), [](const Candidate& a, const Candidate& b) {
      return std::tie(a.rate, a.is_flow, a.index) > std::tie(b.rate, b.is_flow, b.index);
    });
    const Candidate candidate = heap_.back();
    heap_.pop_back();
    if (candidate.is_flow) {
      fix(candidate.index, candidate.rate);
      continue;
    }
    // Rates of links only grow while flows are fixed: an old one is put back where it belongs.
    const Link& link = links_[candidate.index];
    if (link.growing == 0) continue;
    const double rate = fair_rate(link);
    if (rate > candidate.rate) {
      push({rate, candidate.index, false});
      continue;
    }
    for (const std::uint32_t flow : link.flows) fix(flow, candidate.rate);
  }
}

void FairShares::fix(std::uint32_t flow, double rate) {
  Flow& it = flows[flow];
  if (it.rate != kGrowing) return;
  it.rate = rate;
  for (const LinkShare& share : it.links) {
    Link& link = links_[share.link];
    link.left -= rate * share.weight;
    link.weight -= share.weight;
    --link.growing;
  }
}

}  // namespace convoy::simulate
