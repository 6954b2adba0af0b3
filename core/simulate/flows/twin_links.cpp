#include "core/simulate/flows/twin_links.hpp"

#include <map>
#include <span>
#include <utility>

namespace convoy::simulate {
namespace {

// Splits links into ever more classes, route by route, until each class has twins only.
class TwinClasses {
 public:
  explicit TwinClasses(const TaskGraph& graph) : classes_(graph.links.size()) {
    std::map<std::pair<double, double>, std::uint32_t> by_capacity;
    for (std::size_t link = 0; link < classes_.size(); ++link) {
      const LinkCapacity& it = graph.links[link];
      const auto [found, is_new] =
          by_capacity.try_emplace({it.bytes_per_second, it.incast_loss}, next_);
      if (is_new) ++next_;
      classes_[link] = found->second;
    }
    for (const SlowedLink& it : graph.slowed_links) classes_[it.link] = next_++;
    for (std::uint32_t route = 0; route < graph.routes.size(); ++route) split(graph.routes[route]);
  }

  const std::vector<std::uint32_t>& classes() const { return classes_; }
  std::uint32_t count() const { return next_; }

 private:
  void split(std::span<const LinkShare> route) {
    parts_.clear();
    for (const LinkShare& it : route) {
      const auto [found, is_new] = parts_.try_emplace({classes_[it.link], it.weight}, next_);
      if (is_new) ++next_;
      classes_[it.link] = found->second;
    }
  }

  std::vector<std::uint32_t> classes_;  // per link
  std::map<std::pair<std::uint32_t, double>, std::uint32_t> parts_;
  std::uint32_t next_ = 0;
};

}  // namespace

std::vector<std::uint32_t> first_twins(const TaskGraph& graph) {
  const TwinClasses twins(graph);
  std::vector<std::uint32_t> first(twins.count(), kNone);
  std::vector<std::uint32_t> firsts(graph.links.size());
  for (std::uint32_t link = 0; link < firsts.size(); ++link) {
    std::uint32_t& it = first[twins.classes()[link]];
    if (it == kNone) it = link;
    firsts[link] = it;
  }
  return firsts;
}

}  // namespace convoy::simulate
