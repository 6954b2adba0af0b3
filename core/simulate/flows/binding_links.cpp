#include "core/simulate/flows/binding_links.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "core/simulate/flows/twin_links.hpp"

namespace convoy::simulate {
namespace {

// Collectives of many devices pass thousands of links. Of these, only twins are left out.
constexpr std::size_t kLongRoute = 64;

class Narrower {
 public:
  explicit Narrower(const TaskGraph& graph) : graph_(graph), widths_(widths(graph)) {
    found_.resize(widths_.size());
    in_route_.resize(widths_.size());
    for (std::uint32_t route = 0; route < graph.routes.size(); ++route) add(graph.routes[route]);
  }

  // Two links that always bind each other are full at the same time: the first one stays.
  bool is_left_out(std::uint32_t link) const {
    return std::ranges::any_of(found_[link].binding, [&](std::uint32_t other) {
      const std::vector<std::uint32_t>& back = found_[other].binding;
      return other < link || std::ranges::find(back, link) == back.end();
    });
  }

 private:
  // For one link: the other links that are on all routes over it and at least as narrow on each of
  // these routes.
  struct Found {
    bool is_used = false;
    std::vector<std::uint32_t> binding;
  };
  // The last route that a link was seen in.
  struct InRoute {
    std::uint32_t route = 0;  // counted from 1
    double rate = 0;          // highest rate of a flow on this route
  };

  // The highest rate of each link at any time.
  static std::vector<double> widths(const TaskGraph& graph) {
    std::vector<double> widths;
    for (const LinkCapacity& link : graph.links) widths.push_back(link.bytes_per_second);
    for (const SlowedLink& link : graph.slowed_links)
      widths[link.link] = std::max(widths[link.link], link.busy_bytes_per_second);
    return widths;
  }

  void add(std::span<const LinkShare> route) {
    ++number_;
    for (const LinkShare& it : route) in_route_[it.link] = {number_, widths_[it.link] / it.weight};
    for (const LinkShare& it : route) {
      Found& found = found_[it.link];
      const double rate = in_route_[it.link].rate;
      const auto is_wider = [&](std::uint32_t other) {
        return in_route_[other].route != number_ || in_route_[other].rate > rate;
      };
      if (found.is_used)
        std::erase_if(found.binding, is_wider);
      else if (may_be_left_out(it.link) && route.size() <= kLongRoute)
        for (const LinkShare& other : route)
          if (other.link != it.link && !is_wider(other.link)) found.binding.push_back(other.link);
      found.is_used = true;
    }
  }

  // Whether the link may be left out. Links whose rate changes may become narrower, so they stay.
  bool may_be_left_out(std::uint32_t link) const {
    return graph_.links[link].incast_loss == 0 &&
           std::ranges::find(graph_.slowed_links, link, &SlowedLink::link) ==
               graph_.slowed_links.end();
  }

  const TaskGraph& graph_;
  std::vector<double> widths_;
  std::vector<Found> found_;       // per link
  std::vector<InRoute> in_route_;  // per link
  std::uint32_t number_ = 0;
};

bool has_long_route(const TaskGraph& graph) {
  for (std::uint32_t route = 0; route < graph.routes.size(); ++route)
    if (graph.routes[route].size() > kLongRoute) return true;
  return false;
}

}  // namespace

Lists<LinkShare> binding_links(const TaskGraph& graph) {
  const Narrower narrower(graph);
  std::vector<std::uint32_t> firsts;
  if (has_long_route(graph)) firsts = first_twins(graph);
  const auto is_binding = [&](std::uint32_t link) {
    return (firsts.empty() || firsts[link] == link) && !narrower.is_left_out(link);
  };
  Lists<LinkShare> routes;
  std::vector<LinkShare> binding;
  for (std::uint32_t route = 0; route < graph.routes.size(); ++route) {
    binding.clear();
    for (const LinkShare& it : graph.routes[route])
      if (is_binding(it.link)) binding.push_back(it);
    routes.add(binding);
  }
  return routes;
}

}  // namespace convoy::simulate
