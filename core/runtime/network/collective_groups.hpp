#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/network/peers.hpp"

namespace convoy::runtime {

class CollectiveGroups;

// Tells the groups of a task's sessions that another task is lost: the open groups, and all that
// are opened later. Any thread may call it.
class CollectiveInterruption {
 public:
  void interrupt(const std::string& reason);

 private:
  friend class CollectiveGroups;

  void attach(CollectiveGroups& groups);
  void detach(CollectiveGroups& groups);

  std::mutex mutex_;
  std::set<CollectiveGroups*> groups_;
  std::uint32_t given_up_ = 0;  // atomic
};

// The groups of devices of several tasks in which a plan's collectives run, open on this task. They
// belong to one session, and must be destroyed before the devices, with no collective queued.
class CollectiveGroups {
 public:
  // host: the number of this task in the plan's cluster. interruption outlives this object.
  CollectiveGroups(std::uint32_t host, const Engines& engines,
                   CollectiveInterruption& interruption);
  ~CollectiveGroups();
  CollectiveGroups(const CollectiveGroups&) = delete;
  CollectiveGroups& operator=(const CollectiveGroups&) = delete;

  // Opens the groups of a lowered plan that are not open yet. All tasks call it with the same plan
  // at the same time. seconds: how long the others may take to come. Error kTimeout when they do
  // not, kUnavailable when a device refuses or the tasks have different plans.
  void open(const plan::Plan& lowered, Peers& peers, double seconds);
  // Returns the open group of a collective over several hosts that has a place on this one; null if
  // there is none.
  void* find(const plan::Plan& lowered, const plan::Operation& collective) const;
  // Ends queued collectives with an error. Nothing can be queued any more.
  void interrupt(const std::string& reason) noexcept;

 private:
  using Places = std::vector<std::uint32_t>;  // ascending: the place of each rank
  struct Group {
    plugin::OpenDevice* device = nullptr;  // null: no place is on this host
    void* handle = nullptr;
  };

  std::vector<Places> missing(const plan::Plan& lowered) const;
  Group join(const plan::Plan& lowered, const Places& places, const convoy_collective_id& id,
             double seconds);

  std::uint32_t host_;
  const Engines& engines_;
  CollectiveInterruption& interruption_;
  std::map<Places, Group> groups_;
};

// The places of a collective's devices, ascending: the place of rank i is number i.
std::vector<std::uint32_t> ranked_places(const plan::Plan& lowered,
                                         const plan::Operation& collective);

}  // namespace convoy::runtime
