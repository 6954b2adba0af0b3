#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/check/symmetry/part_memory.hpp"
#include "core/plan/check/symmetry/part_operations.hpp"

namespace convoy::plan::check {

// The forwards and backwards of all replicas over one part, whose memory is given.
class PartPasses : public PartitionedPlan {
 public:
  // Forwards and backwards over the same elements.
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::vector<const PartOperations::Pass*> passes;
  };
  struct Event {
    const PartOperations::Pass* pass = nullptr;
    const Group* group = nullptr;
  };

  // Forwards and backwards of one replica over one stretch, so far.
  struct Progress {
    Fingerprint read;
    std::uint64_t forwards = 0;
    std::uint64_t backwards = 0;
  };
  using AllProgress = std::vector<Progress>;  // the progress of all, by replica and local stretch

  PartPasses(const PartitionedPlan& plan, const PartOperations& items, PartMemory& memory);

  void enter(std::span<const std::uint32_t> arena);
  // The events in the order of the plan.
  const std::vector<Event>& events() const { return events_; }
  // The group of all events, if the part has one stretch of the arena; otherwise none.
  const Group* only_group() const {
    return arena_.size() == 1 && !events_.empty() ? events_.front().group : nullptr;
  }
  const AllProgress& all_progress() const { return progress_; }
  // Continues from this progress, in a part with the same only group.
  void restore(const AllProgress& all_progress) { progress_ = all_progress; }
  // Runs a pass and adds to the result. Returns false if the passes of a replica are not over the
  // whole part.
  bool run(const Event& event, Fingerprint& result);
  bool are_complete() const;

 private:
  PartMemory::Cell& read_of(const Operation& operation, std::uint32_t stretch);
  Fingerprint forward(const Operation& operation, const PartOperations::Pass& pass,
                      std::uint32_t stretch, Progress& progress);
  Fingerprint gradient(std::uint32_t role, std::uint64_t compute, std::uint32_t local);
  Fingerprint backward(const Operation& operation, const PartOperations::Pass& pass,
                       std::uint32_t stretch, Progress& progress);

  PartMemory& memory_;
  std::vector<Group> groups_;
  std::vector<std::uint64_t> computes_;  // by replica
  std::span<const std::uint32_t> arena_;
  AllProgress progress_;
  std::vector<Event> events_;
  std::vector<Fingerprint> gradients_;  // gradients of the first stretch, by compute and role
};

}  // namespace convoy::plan::check
