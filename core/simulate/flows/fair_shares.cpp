#include "core/simulate/flows/fair_shares.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::simulate {
namespace {

constexpr double kGrowing = -1;  // instead of a rate

// The most that rounding adds to the sum of a link's flows.
constexpr double kRounding = 1e-11;

}  // namespace

FairShares::FairShares(std::vector<LinkCapacity> links) {
  links_.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    CONVOY_CHECK(links[i].bytes_per_second > 0);
    links_[i].capacity = links[i];
    find_whole(links_[i]);
  }
}

void FairShares::insert(std::uint32_t flow) {
  Flow& it = flows[flow];
  it.active = true;
  it.rate = 0;
  it.places.clear();
  for (std::uint32_t i = 0; i < it.links.size(); ++i) {
    Link& link = links_[it.links[i].link];
    it.places.push_back(static_cast<std::uint32_t>(link.flows.size()));
    link.flows.push_back({flow, i, it.links[i].weight});
    find_whole(link);
  }
}

void FairShares::erase(std::uint32_t flow) {
  Flow& it = flows[flow];
  for (std::size_t i = 0; i < it.links.size(); ++i) {
    Link& link = links_[it.links[i].link];
    const std::uint32_t place = it.places[i];
    const Passenger last = link.flows.back();
    link.flows[place] = last;
    flows[last.flow].places[last.index] = place;
    link.flows.pop_back();
    find_whole(link);
    link.load = link.flows.empty() ? 0 : link.load - it.rate * it.links[i].weight;
  }
  it.active = false;
}

void FairShares::set_capacity(std::uint32_t link, double bytes_per_second) {
  CONVOY_CHECK(bytes_per_second > 0);
  links_[link].capacity.bytes_per_second = bytes_per_second;
  find_whole(links_[link]);
}

const std::vector<std::uint32_t>& FairShares::share(std::span<const std::uint32_t> links,
                                                    std::span<const std::uint32_t> touched) {
  ++mark_;
  open_links_.clear();
  free_flows_.clear();
  changed_links_.clear();
  filled_.resize(flows.size());
  for (const std::uint32_t link : links) note_change(link);
  for (const std::uint32_t flow : touched) {
    if (!flows[flow].active) continue;
    release(flow);
    const double most = open_narrowest(flows[flow]);
    for (const LinkShare& share : flows[flow].links) {
      note_change(share.link);
      links_[share.link].demand += most * share.weight;
    }
  }
  for (const std::uint32_t index : changed_links_) {
    const Link& link = links_[index];
    if (link.level < kRoom || link.load + link.demand > link.whole) open(index);
  }
  if (free_flows_.empty()) {
    for (const std::uint32_t index : open_links_) links_[index].level = kRoom;
    return free_flows_;
  }
  do {
    fill();
  } while (open_what_changed());
  sort_free_flows();
  return free_flows_;
}

// Many of few numbers are sorted faster by marking them.
void FairShares::sort_free_flows() {
  constexpr std::size_t kBits = 64;
  constexpr std::size_t kMany = 24;
  const std::size_t words = flows.size() / kBits + 1;
  if (free_flows_.size() < std::max(kMany, words / 4))
    return std::sort(free_flows_.begin(), free_flows_.end());
  marked_.resize(words, 0);
  for (const std::uint32_t flow : free_flows_)
    marked_[flow / kBits] |= std::uint64_t{1} << flow % kBits;
  free_flows_.clear();
  for (std::size_t i = 0; i < words; ++i)
    for (std::uint64_t rest = std::exchange(marked_[i], 0); rest != 0; rest &= rest - 1)
      free_flows_.push_back(
          static_cast<std::uint32_t>(kBits * i + static_cast<std::size_t>(std::countr_zero(rest))));
}

void FairShares::note_change(std::uint32_t link) {
  Link& it = links_[link];
  if (it.changed_mark == mark_) return;
  it.changed_mark = mark_;
  it.demand = 0;
  changed_links_.push_back(link);
}

void FairShares::open(std::uint32_t link) {
  Link& it = links_[link];
  if (is_open(it)) return;
  it.open_mark = mark_;
  open_links_.push_back(link);
  for (const Passenger& passenger : it.flows) release(passenger.flow);
}

void FairShares::release(std::uint32_t flow) {
  Flow& it = flows[flow];
  if (it.mark == mark_) return;
  it.mark = mark_;
  free_flows_.push_back(flow);
}

// Opens the narrowest link of a flow, so that an open link limits it. Returns the rate that this
// link allows.
double FairShares::open_narrowest(const Flow& flow) {
  double narrowest = flow.limit;
  const LinkShare* found = nullptr;
  for (const LinkShare& share : flow.links) {
    const double rate = links_[share.link].whole / share.weight;
    if (rate >= narrowest) continue;
    narrowest = rate;
    found = &share;
  }
  if (found != nullptr) open(found->link);
  return narrowest;
}

bool FairShares::open_what_changed() {
  for (const std::uint32_t flow : free_flows_) {
    Flow& it = flows[flow];
    const double change = filled_[flow] - it.rate;
    if (change == 0) continue;
    it.rate = filled_[flow];
    for (const LinkShare& share : it.links) {
      links_[share.link].load += change * share.weight;
      note_change(share.link);
    }
  }
  const std::size_t before = open_links_.size();
  for (const std::uint32_t index : changed_links_) {
    const Link& link = links_[index];
    if (!is_open(link) && (link.level < kRoom || link.load > link.whole * (1 + kRounding)))
      open(index);
  }
  return open_links_.size() > before;
}

void FairShares::find_whole(Link& link) {
  link.whole = link.capacity.bytes_per_second;
  if (link.capacity.incast_loss == 0) return;
  const auto senders = static_cast<double>(link.flows.size());
  link.whole /= 1 + link.capacity.incast_loss * (senders - 1);
}

double FairShares::fair_rate(const Link& link) {
  return std::max(0.0, link.left) / link.weight;
}

// The bound on a flow by its limit and by the full links that are not shared anew: open links have
// room until they are filled.
double FairShares::bound(const Flow& flow) const {
  double rate = flow.limit;
  for (const LinkShare& share : flow.links) rate = std::min(rate, links_[share.link].level);
  return rate;
}

void FairShares::begin_link(std::uint32_t index) {
  Link& link = links_[index];
  link.level = kRoom;
  if (link.flows.empty()) return;
  link.left = link.whole;
  link.weight = 0;
  link.growing = static_cast<std::uint32_t>(link.flows.size());
  for (const Passenger& it : link.flows) link.weight += it.weight;
  full_next_.put({fair_rate(link), index});
}

// The same as fill() for one flow: it grows until the narrowest open link is full or it is bound.
void FairShares::fill_alone(std::uint32_t flow) {
  AtRate full{kRoom, kNobody};
  for (const std::uint32_t index : open_links_) {
    Link& link = links_[index];
    link.level = kRoom;
    if (link.flows.empty()) continue;
    full = std::min(full, {link.whole / link.flows.front().weight, index});
  }
  const double most = bound(flows[flow]);
  filled_[flow] = std::min(most, full.rate);
  if (full.index != kNobody && full.rate <= most) links_[full.index].level = full.rate;
}

// The same as fill() in a frequent case: one link is open, and nothing else limits its flows.
// Returns false, with no rate found, in other cases.
bool FairShares::fill_one_link(std::uint32_t index) {
  Link& link = links_[index];
  if (link.flows.empty() || link.flows.size() != free_flows_.size()) return false;
  double weight = 0;
  for (const Passenger& it : link.flows) weight += it.weight;
  const double rate = link.whole / weight;
  link.level = kRoom;
  for (const Passenger& it : link.flows)
    if (bound(flows[it.flow]) < rate) return false;
  link.level = rate;
  for (const Passenger& it : link.flows) filled_[it.flow] = rate;
  return true;
}

void FairShares::fill() {
  if (free_flows_.size() == 1) return fill_alone(free_flows_.front());
  if (open_links_.size() == 1 && fill_one_link(open_links_.front())) return;
  full_next_.clear();
  bounded_.clear();
  next_bounded_ = 0;
  for (const std::uint32_t index : open_links_) begin_link(index);
  full_next_.begin();
  for (const std::uint32_t flow : free_flows_) {
    filled_[flow] = kGrowing;
    const double rate = bound(flows[flow]);
    if (rate < kRoom || flows[flow].links.empty()) bounded_.push_back({rate, flow});
  }
  std::sort(bounded_.begin(), bounded_.end());
  while (!full_next_.empty()) {
    fix_at_bounds(full_next_.first().rate);
    const AtRate candidate = full_next_.first();
    Link& link = links_[candidate.index];
    // The rates of links only grow while flows are fixed, so an outdated entry is put back with its
    // new rate.
    const double rate = link.growing == 0 ? 0 : fair_rate(link);
    if (rate > candidate.rate) {
      full_next_.raise_first(rate);
      continue;
    }
    full_next_.remove_first();
    if (link.growing == 0) continue;
    link.level = candidate.rate;
    for (const Passenger& it : link.flows) fix(it.flow, candidate.rate);
  }
  fix_at_bounds(kRoom);
  for (; next_bounded_ < bounded_.size(); ++next_bounded_)
    fix(bounded_[next_bounded_].index, kRoom);
}

// Fixes flows whose bound is below the rate. At equal rates, links come first.
void FairShares::fix_at_bounds(double rate) {
  for (; next_bounded_ < bounded_.size() && bounded_[next_bounded_].rate < rate; ++next_bounded_)
    fix(bounded_[next_bounded_].index, bounded_[next_bounded_].rate);
}

// What is left of links that are not open is of no meaning; asking each takes longer.
void FairShares::fix(std::uint32_t flow, double rate) {
  if (filled_[flow] != kGrowing) return;
  filled_[flow] = rate;
  for (const LinkShare& share : flows[flow].links) {
    Link& link = links_[share.link];
    link.left -= rate * share.weight;
    link.weight -= share.weight;
    --link.growing;
  }
}

}  // namespace convoy::simulate
