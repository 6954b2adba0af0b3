#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <vector>

#include "plugins/devices/cuda/lanes/lane_engine.hpp"
#include "plugins/devices/cuda/programs/program.hpp"

namespace convoy::cuda {

// The times of one program's tasks, added up per layer, pass and implementation. While an operation
// is queued, an event is recorded between every two of its tasks. Once the device has reached the
// last event, the times between them are known. Operations finish in the order in which they were
// queued. One thread queues, another one finishes, and any thread may read the records.
class ProgramProfile {
 public:
  ProgramProfile(StreamDriver& driver, const ProgramPlan& plan);

  // The queueing thread calls begin before the first task, mark after every task, and end after the
  // last one. An operation that fails before end() leaves no record.
  void begin(const TaskList& tasks, std::uint32_t lane);
  void mark(std::uint32_t lane);
  void end();

  // The oldest queued operation is done.
  void finish();

  // In the order in which a step first reaches them.
  std::vector<convoy_profile_record> records();

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string_view>;
  struct Queued {
    const TaskList* tasks = nullptr;
    std::vector<StreamDriver::Event> events;  // one more than tasks
  };

  static Key key_of(const TaskLabel& label);
  void add_record(const TaskLabel& label);
  void charge(const TaskLabel& label, double start, double end);

  StreamDriver& driver_;
  Queued open_;
  std::mutex mutex_;  // guards the members below
  std::deque<Queued> queued_;
  std::map<Key, std::size_t> places_;
  std::vector<convoy_profile_record> records_;
};

}  // namespace convoy::cuda
