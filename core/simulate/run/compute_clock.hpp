#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/machine/simulated_machine.hpp"
#include "core/simulate/run/ticks.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// The compute engines: what runs on each device and how fast, given who else on its board computes
// and how many collectives are in its way. Make changes at one point in time, then settle().
class ComputeClock {
 public:
  ComputeClock(const TaskGraph& graph, const SimulatedMachine& machine);

  void start(Ticks now, std::uint32_t place, const PassTime& pass);
  void finish(std::uint32_t place);
  // A collective of a group begins or ends to move data.
  void collective(std::uint32_t group, int change);
  // When the kernel that runs on the group's slowest device ends; now when none runs.
  Ticks kernel_boundary(Ticks now, std::uint32_t group) const;
  bool is_busy(std::uint32_t group) const { return groups_[group].busy > 0; }

  struct End {
    std::uint32_t place = 0;
    std::uint32_t version = 0;
    Ticks at = 0;
  };
  // New ends of what runs; ends told before with another version are no longer true.
  const std::vector<End>& settle(Ticks now);
  // Groups that went from idle to busy or back during the last settle().
  const std::vector<std::uint32_t>& flipped_groups() const { return flipped_; }
  bool is_current(std::uint32_t place, std::uint32_t version) const {
    return devices_[place].version == version;
  }

 private:
  struct Device {
    const PassTime* pass = nullptr;  // what runs
    double done = 0;                 // seconds of it, at full rate
    double rate = 1;
    Ticks since = 0;
    bool was_busy = false;
    bool restarted = false;
    bool dirty = false;
    std::uint32_t version = 0;
    std::uint32_t collectives = 0;
    std::uint32_t board = kNone;
    const SimulatedDevice* kind = nullptr;
    std::vector<std::uint32_t> groups;
  };
  struct Group {
    std::uint32_t busy = 0;
    bool was_busy = false;
    bool dirty = false;
  };
  struct Board {
    std::uint32_t busy = 0;
    std::vector<std::uint32_t> devices;
  };
  void mark(std::uint32_t place);
  void note_busy(std::uint32_t place);
  void retime(Ticks now, std::uint32_t place);
  double rate_of(const Device& device) const;
  double done_at(const Device& device, Ticks now) const;

  const TaskGraph& graph_;
  std::vector<Device> devices_;  // per place
  std::vector<Group> groups_;
  std::vector<Board> boards_;
  std::vector<std::uint32_t> dirty_;
  std::vector<std::uint32_t> dirty_groups_;
  std::vector<std::uint32_t> flipped_;
  std::vector<End> ends_;
};

}  // namespace convoy::simulate
