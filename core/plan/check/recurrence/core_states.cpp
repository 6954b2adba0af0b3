#include "core/plan/check/recurrence/core_states.hpp"

namespace convoy::plan::check {
namespace {

// Takes states whose list has no other state left, until there are none. Returns them in the order
// of taking. `users` has, per state, the states whose lists contain it.
std::vector<std::uint32_t> peel(const StateLists& lists, const StateLists& users,
                                std::vector<bool>& taken) {
  std::vector<std::size_t> left(lists.size(), 0);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < lists.size(); ++i) {
    for (const std::uint32_t other : lists[i]) left[i] += taken[other] ? 0 : 1;
    if (left[i] == 0 && !taken[i]) order.push_back(i);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    taken[order[at]] = true;
    for (const std::uint32_t user : users[order[at]])
      if (--left[user] == 0 && !taken[user]) order.push_back(user);
  }
  return order;
}

}  // namespace

StateLists sources_of(const std::vector<LinearRow>& step) {
  StateLists result(step.size());
  for (std::uint32_t i = 0; i < step.size(); ++i)
    for (const Addend& it : step[i]) result[i].push_back(it.index);
  return result;
}

StateLists users_of(const std::vector<LinearRow>& step) {
  StateLists result(step.size());
  for (std::uint32_t i = 0; i < step.size(); ++i)
    for (const Addend& it : step[i]) result[it.index].push_back(i);
  return result;
}

CoreStates core_states(const std::vector<LinearRow>& step) {
  const StateLists sources = sources_of(step);
  const StateLists users = users_of(step);
  CoreStates result;
  std::vector<bool> taken(step.size(), false);
  result.fading = peel(sources, users, taken);
  result.following = peel(users, sources, taken);
  for (std::uint32_t i = 0; i < step.size(); ++i)
    if (!taken[i]) result.core.push_back(i);
  return result;
}

}  // namespace convoy::plan::check
