#include "core/simulate/tasks/route_table.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace convoy::simulate {

namespace {

std::uint64_t hash_of(std::span<const LinkShare> shares) {
  std::uint64_t hash = 0;
  for (const LinkShare& share : shares) {
    hash = (hash ^ share.link) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ std::bit_cast<std::uint64_t>(share.weight)) * 0x9e3779b97f4a7c15u;
  }
  return hash ^ hash >> 29;
}

bool are_equal(std::span<const LinkShare> a, std::span<const LinkShare> b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const LinkShare& left, const LinkShare& right) {
        return left.link == right.link && left.weight == right.weight && left.bytes == right.bytes;
      });
}

}  // namespace

std::span<const LinkShare> RouteSum::merged() {
  // Equal links stay in the order in which they were added. Routes are short, so insertion sort is
  // used, except for rings over many hosts.
  constexpr std::size_t kShort = 64;
  const auto before = [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; };
  if (shares_.size() > kShort) {
    std::stable_sort(shares_.begin(), shares_.end(), before);
  } else {
    for (auto it = shares_.begin(); it != shares_.end(); ++it)
      std::rotate(std::upper_bound(shares_.begin(), it, *it, before), it, it + 1);
  }
  std::size_t size = 0;
  for (const LinkShare& share : shares_) {
    if (size > 0 && shares_[size - 1].link == share.link) {
      shares_[size - 1].weight += share.weight;
      shares_[size - 1].bytes += share.bytes;
    } else {
      shares_[size++] = share;
    }
  }
  shares_.resize(size);
  return shares_;
}

const Path& RouteTable::path(std::uint32_t from, std::uint32_t to) {
  const auto [path, is_new] = paths_.at(from, to);
  if (is_new && from != to) path = machine_.paths(from, to);
  return path;
}

std::uint32_t RouteTable::add(RouteSum& sum) {
  const std::span<const LinkShare> shares = sum.merged();
  if (shares.empty()) return kNone;
  const std::uint64_t hash = hash_of(shares);
  const auto [begin, end] = routes_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (are_equal(graph_.routes[it->second], shares)) return it->second;
  const std::uint32_t route = graph_.routes.add(shares);
  routes_.emplace(hash, route);
  return route;
}

std::uint32_t RouteTable::add_group(const std::vector<std::uint32_t>& places) {
  const auto [it, inserted] = groups_.try_emplace(places);
  if (inserted) it->second = graph_.groups.add(places);
  return it->second;
}

double RouteTable::capacity(std::uint32_t route) const {
  double rate = std::numeric_limits<double>::infinity();
  if (route == kNone) return rate;
  for (const LinkShare& share : graph_.routes[route])
    rate = std::min(rate, graph_.links[share.link].bytes_per_second / share.weight);
  return rate;
}

}  // namespace convoy::simulate
