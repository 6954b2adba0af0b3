#include "core/simulate/flows/fair_shares.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::simulate {
namespace {

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
  if (places_.size() <= flow) places_.resize(flow + 1);
  places_[flow].clear();
  for (std::uint32_t i = 0; i < it.links.size(); ++i) {
    Link& link = links_[it.links[i].link];
    places_[flow].push_back(static_cast<std::uint32_t>(link.flows.size()));
    link.flows.push_back({flow, i, it.links[i].weight});
    if (link.total != kUnknown) link.total += it.links[i].weight;
    find_whole(link);
  }
}

void FairShares::erase(std::uint32_t flow) {
  Flow& it = flows[flow];
  for (std::size_t i = 0; i < it.links.size(); ++i) {
    Link& link = links_[it.links[i].link];
    const std::uint32_t place = places_[flow][i];
    const Passenger last = link.flows.back();
    link.flows[place] = last;
    places_[last.flow][last.index] = place;
    link.flows.pop_back();
    link.total = link.flows.empty() ? 0 : kUnknown;
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
  ++round_;
  open_links_.clear();
  free_flows_.clear();
  changed_links_.clear();
  changed_flows_.clear();
  unbound_.clear();
  bounded_.clear();
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
    Link& link = links_[index];
    if (link.level < kRoom || link.load + link.demand > link.whole) open(index);
    link.demand = 0;
  }
  do {
    ++round_;
    fill();
  } while (open_what_changed());
  sorter_.sort(changed_flows_, flows.size());
  return changed_flows_;
}

void FairShares::note_change(std::uint32_t link) {
  Link& it = links_[link];
  if (it.changed_mark == round_) return;
  it.changed_mark = round_;
  changed_links_.push_back(link);
}

void FairShares::open(std::uint32_t link) {
  Link& it = links_[link];
  if (is_open(it)) return;
  it.open_mark = mark_;
  open_links_.push_back(link);
  for (const Passenger& passenger : it.flows) {
    release(passenger.flow);
    Flow& flow = flows[passenger.flow];
    flow.open |= open_bit(passenger.index);
    if (flow.bound < it.level) continue;
    flow.bound = kUnknown;
    unbound_.push_back(passenger.flow);
  }
}

void FairShares::release(std::uint32_t flow) {
  Flow& it = flows[flow];
  if (it.mark == mark_) return;
  it.mark = mark_;
  it.open = 0;
  it.bound = kUnknown;
  it.has_changed = false;
  free_flows_.push_back(flow);
  unbound_.push_back(flow);
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
  changed_links_.clear();
  for (const std::uint32_t flow : changing_flows_) {
    Flow& it = flows[flow];
    const double change = it.filled - it.rate;
    it.rate = it.filled;
    if (!std::exchange(it.has_changed, true)) changed_flows_.push_back(flow);
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

// Open links have room until they are filled.
void FairShares::find_bound(Flow& flow) const {
  if (flow.bound != kUnknown) return;
  flow.bound = flow.limit;
  for (const LinkShare& share : flow.links)
    flow.bound = std::min(flow.bound, links_[share.link].level);
}

void FairShares::begin_link(std::uint32_t index) {
  Link& link = links_[index];
  link.level = kRoom;
  if (link.flows.empty()) return;
  if (link.total == kUnknown) {
    link.total = 0;
    for (const Passenger& it : link.flows) link.total += it.weight;
  }
  link.left = link.whole;
  link.weight = link.total;
  link.growing = static_cast<std::uint32_t>(link.flows.size());
  full_next_.put({fair_rate(link), index});
}

// The same as fill() for one flow: it grows until the narrowest open link is full or it is bound.
void FairShares::fill_alone(std::uint32_t index) {
  Flow& flow = flows[index];
  AtRate full{kRoom, kNobody};
  for (const std::uint32_t open : open_links_) {
    Link& link = links_[open];
    link.level = kRoom;
    if (link.flows.empty()) continue;
    full = std::min(full, {link.whole / link.flows.front().weight, open});
  }
  find_bound(flow);
  fix(index, std::min(flow.bound, full.rate));
  if (full.index != kNobody && full.rate <= flow.bound) links_[full.index].level = full.rate;
}

void FairShares::fill() {
  changing_flows_.clear();
  if (free_flows_.size() == 1) return fill_alone(free_flows_.front());
  full_next_.clear();
  for (const std::uint32_t index : open_links_) begin_link(index);
  full_next_.begin();
  begin_flows();
  while (!full_next_.empty()) {
    fix_at_bounds(full_next_.first().rate);
    const AtRate candidate = full_next_.first();
    const Link& link = links_[candidate.index];
    // The rates of links only grow while flows are fixed, so an outdated entry is put back with its
    // new rate.
    const double rate = link.growing == 0 ? 0 : fair_rate(link);
    if (rate > candidate.rate) {
      full_next_.raise_first(rate);
      continue;
    }
    full_next_.remove_first();
    if (link.growing > 0) fill_link(candidate.index, candidate.rate);
  }
  fix_at_bounds(kRoom);
  while (!bounded_.at_end()) fix(bounded_.take().index, kRoom);
}

// Finds the bounds of new free flows, and those that have changed.
void FairShares::begin_flows() {
  if (unbound_.empty()) return bounded_.begin();
  bounded_.leave_out([&](const AtRate& it) { return flows[it.index].bound == kUnknown; });
  newly_bounded_.clear();
  for (const std::uint32_t index : unbound_) {
    Flow& flow = flows[index];
    find_bound(flow);
    if (flow.bound < kRoom || flow.links.empty()) newly_bounded_.push_back({flow.bound, index});
  }
  unbound_.clear();
  bounded_.take_in(newly_bounded_);
  bounded_.begin();
}

// Fixes the flows of a link that is full. The link itself is not asked again, so most flows have no
// link from which their rate must be taken.
void FairShares::fill_link(std::uint32_t index, double rate) {
  Link& link = links_[index];
  link.level = rate;
  for (const Passenger& it : link.flows) {
    if (!fix(it.flow, rate)) continue;
    const Flow& flow = flows[it.flow];
    if (flow.open != open_bit(it.index) || it.index >= kOpenBits - 1) take_from_open(flow);
  }
}

// Fixes flows whose bound is below the rate. At equal rates, links come first.
void FairShares::fix_at_bounds(double rate) {
  while (bounded_.is_below(rate)) {
    const AtRate it = bounded_.take();
    if (fix(it.index, it.rate)) take_from_open(flows[it.index]);
  }
}

// Returns false if the flow's rate is already fixed.
bool FairShares::fix(std::uint32_t flow, double rate) {
  Flow& it = flows[flow];
  if (it.fixed == round_) return false;
  it.fixed = round_;
  it.filled = rate;
  if (rate != it.rate) changing_flows_.push_back(flow);
  return true;
}

// Takes a flow's new rate from its open links. What is left of other links is of no meaning.
void FairShares::take_from_open(const Flow& flow) {
  constexpr std::uint32_t kFurther = std::uint32_t{1} << (kOpenBits - 1);
  for (std::uint32_t rest = flow.open & ~kFurther; rest != 0; rest &= rest - 1)
    take(flow.links[static_cast<std::size_t>(std::countr_zero(rest))], flow.filled);
  if ((flow.open & kFurther) == 0) return;
  for (const LinkShare& share : flow.links.subspan(kOpenBits - 1)) take(share, flow.filled);
}

void FairShares::take(const LinkShare& share, double rate) {
  Link& link = links_[share.link];
  link.left -= rate * share.weight;
  link.weight -= share.weight;
  --link.growing;
}

}  // namespace convoy::simulate
