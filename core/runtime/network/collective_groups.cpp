#include "core/runtime/network/collective_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/numbers/fnv.hpp"
#include "core/plan/lower/device_collective.hpp"
#include "core/plan/schedule/spanning_collective.hpp"
#include "core/plan/stages.hpp"

namespace convoy::runtime {
namespace {

// What a task tells the others: the groups of its plan, and the ids of groups that it makes.
struct Offer {
  std::uint64_t groups = 0;  // hash
  std::vector<convoy_collective_id> ids;
};

std::string text_of(const Offer& offer) {
  std::string text(sizeof offer.groups + offer.ids.size() * sizeof(convoy_collective_id), '\0');
  std::memcpy(text.data(), &offer.groups, sizeof offer.groups);
  if (!offer.ids.empty())
    std::memcpy(text.data() + sizeof offer.groups, offer.ids.data(),
                offer.ids.size() * sizeof(convoy_collective_id));
  return text;
}

std::uint64_t hash_of(const std::vector<std::vector<std::uint32_t>>& groups) {
  Fnv1a64 hash;
  for (const std::vector<std::uint32_t>& places : groups) {
    hash.add_word(places.size());
    for (const std::uint32_t place : places) hash.add_word(place);
  }
  return hash.value();
}

void require_same_groups(const std::vector<std::string>& offers) {
  for (std::size_t host = 1; host < offers.size(); ++host)
    if (offers[host].compare(0, sizeof(std::uint64_t), offers[0], 0, sizeof(std::uint64_t)) != 0)
      fail(ExitCode::kUnavailable,
           "the plan of host {} has collectives over other devices than that of host 0; give both "
           "the same flags and plug-ins and devices of one kind",
           host);
}

}  // namespace

std::vector<std::uint32_t> ranked_places(const plan::Plan& lowered,
                                         const plan::Operation& collective) {
  std::vector<std::uint32_t> places = plan::participants(collective, lowered);
  std::ranges::sort(places);
  return places;
}

void CollectiveInterruption::interrupt(const std::string& reason) {
  std::atomic_ref<std::uint32_t>(given_up_).store(1, std::memory_order_release);
  const std::lock_guard lock(mutex_);
  for (CollectiveGroups* groups : groups_) groups->interrupt(reason);
}

void CollectiveInterruption::attach(CollectiveGroups& groups) {
  const std::lock_guard lock(mutex_);
  groups_.insert(&groups);
}

void CollectiveInterruption::detach(CollectiveGroups& groups) {
  const std::lock_guard lock(mutex_);
  groups_.erase(&groups);
}

CollectiveGroups::CollectiveGroups(std::uint32_t host, const Engines& engines,
                                   CollectiveInterruption& interruption)
    : host_(host), engines_(engines), interruption_(interruption) {
  interruption_.attach(*this);
}

CollectiveGroups::~CollectiveGroups() {
  interruption_.detach(*this);
  for (const auto& [places, group] : groups_)
    if (group.device != nullptr) group.device->close_collective_group(group.handle);
}

std::vector<CollectiveGroups::Places> CollectiveGroups::missing(const plan::Plan& lowered) const {
  std::vector<Places> result;
  for (const std::vector<plan::Operation>* section : plan::sections_of(lowered))
    for (const plan::Operation& operation : *section) {
      if (!plan::spans_hosts(lowered, operation)) continue;
      Places places = ranked_places(lowered, operation);
      if (!groups_.contains(places) && std::ranges::find(result, places) == result.end())
        result.push_back(std::move(places));
    }
  return result;
}

// The task of rank 0 makes the id of a group.
void CollectiveGroups::open(const plan::Plan& lowered, Peers& peers, double seconds) {
  const std::vector<Places> wanted = missing(lowered);
  const auto maker_of = [&](const Places& places) {
    return lowered.cluster->places[places.front()].host;
  };
  Offer offer{hash_of(wanted), {}};
  for (const Places& places : wanted)
    if (maker_of(places) == host_)
      offer.ids.push_back(engines_.at(places.front())->create_collective_id());
  const std::vector<std::string> offers = peers.exchange(text_of(offer));
  require_same_groups(offers);
  std::vector<std::size_t> taken(offers.size(), 0);  // per host: how many of its ids are taken
  for (const Places& places : wanted) {
    const std::uint32_t maker = maker_of(places);
    const std::size_t at = sizeof(std::uint64_t) + taken.at(maker)++ * sizeof(convoy_collective_id);
    convoy_collective_id id{};
    CONVOY_CHECK_LE(at + sizeof id, offers[maker].size());
    std::memcpy(&id, offers[maker].data() + at, sizeof id);
    const Group group = join(lowered, places, id, seconds);
    const std::lock_guard lock(interruption_.mutex_);
    groups_.emplace(places, group);
  }
  if (std::atomic_ref<std::uint32_t>(interruption_.given_up_).load(std::memory_order_acquire) != 0)
    fail(ExitCode::kTimeout, "another task was lost while devices joined their groups");
}

CollectiveGroups::Group CollectiveGroups::join(const plan::Plan& lowered, const Places& places,
                                               const convoy_collective_id& id, double seconds) {
  std::vector<plugin::OpenDevice*> devices;
  std::vector<std::uint32_t> ranks;
  std::string names;
  for (std::uint32_t rank = 0; rank < places.size(); ++rank) {
    const plan::Place& place = lowered.cluster->places[places[rank]];
    names += fmt::format("{}{} (host {})", rank == 0 ? "" : ", ", place.name, place.host);
    if (place.host != host_) continue;
    devices.push_back(engines_.at(places[rank]));
    ranks.push_back(rank);
  }
  if (devices.empty()) return {};
  const auto size = static_cast<std::uint32_t>(places.size());
  try {
    return {devices.front(), devices.front()->open_collective_group(
                                 id, size, devices, ranks, seconds, interruption_.given_up_)};
  } catch (const Error& error) {
    fail(error.code(),
         "the collectives of {} could not be prepared within --join_timeout={:g} s: {}; see that "
         "the hosts reach each other, or sum in another way",
         names, seconds, error.what());
  }
}

void* CollectiveGroups::find(const plan::Plan& lowered, const plan::Operation& collective) const {
  const auto found = groups_.find(ranked_places(lowered, collective));
  return found == groups_.end() ? nullptr : found->second.handle;
}

void CollectiveGroups::interrupt(const std::string& reason) noexcept {
  for (const auto& [places, group] : groups_)
    if (group.device != nullptr) group.device->interrupt_collective_group(group.handle, reason);
}

}  // namespace convoy::runtime
