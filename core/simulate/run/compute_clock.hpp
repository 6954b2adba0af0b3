#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/machine/simulated_machine.hpp"
#include "core/simulate/run/ticks.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// The compute engines of all devices: what each one runs and how fast. The speed depends on the
// number of busy devices on its board and on the collectives that run beside it. Make changes at
// one point in time, then call settle().
class ComputeClock {
 public:
  ComputeClock(const TaskGraph& graph, const SimulatedMachine& machine);

  void start(Ticks now, std::uint32_t place, const PassTime& pass);
  void finish(std::uint32_t place);
  // A collective of a group begins (`change` is 1) or ends (-1) to move data.
  void collective(std::uint32_t group, int change);
  // Returns the time at which the last of the kernels running on the group's devices ends, or `now`
  // if none runs.
  Ticks kernel_boundary(Ticks now, std::uint32_t group) const;
  bool is_busy(std::uint32_t group) const { return groups_[group].busy > 0; }

  struct End {
    std::uint32_t place = 0;
    std::uint32_t version = 0;
    Ticks at = 0;
  };
  // Returns the new ends of running passes. An end that was returned earlier with another version
  // no longer holds.
  const std::vector<End>& settle(Ticks now);
  // The groups that became busy or idle during the last settle().
  const std::vector<std::uint32_t>& flipped_groups() const { return flipped_; }
  bool is_current(std::uint32_t place, std::uint32_t version) const {
    return devices_[place].version == version;
  }

 private:
  struct Device {
    const PassTime* pass = nullptr;  // the pass that runs
    double done = 0;                 // seconds of the pass that are done, at full rate
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
