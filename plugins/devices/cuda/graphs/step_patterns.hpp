#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plugins/devices/cuda/graphs/operation_run.hpp"
#include "plugins/devices/cuda/lanes/event_ledger.hpp"

namespace convoy::cuda {

// Which operations of a device's steps go together. The host submits the same structs step after
// step, in a few sets that take turns: when a set has come twice as it is, its third time is cut
// into runs. Where nothing that the device does waits for other devices, or they for it, that is
// the whole step with all its lanes; else every run is of one lane, begins where an operation waits
// for another lane or device, and ends where another waits for it. Not thread-safe.
class StepPatterns {
 public:
  // takes: whether an operation may be part of a run.
  using Takes = std::function<bool(const convoy_submission&)>;

  // device: what tells this device from others that share the ledger.
  StepPatterns(std::shared_ptr<EventLedger> ledger, const void* device, Takes takes);

  // To be told of every submission. The run that it is part of, with it added; null: none.
  std::shared_ptr<OperationRun> submitted(const convoy_submission& operation);
  // What was learned does not hold any more: everything is learned anew.
  void forget();

 private:
  // What is kept of a submission, which the host may free.
  struct Seen {
    const convoy_submission* operation;
    std::uint32_t lane;
    std::uint32_t kind;
    bool taken;
    convoy_wait reaches;
    std::vector<convoy_wait> waits;
  };
  struct Pattern {
    std::vector<Seen> first;  // as it came the first time
    int times = 0;
    std::vector<std::size_t> run_of;    // per operation; once it came often enough
    std::vector<std::size_t> run_size;  // per run
  };

  bool begins_step(const convoy_submission& operation) const;
  void begin(const convoy_submission& operation);
  void close();
  void tell_waits(const std::vector<Seen>& step);
  void cut(Pattern& pattern) const;
  bool stands_alone(const Pattern& pattern) const;
  void cut_lanes(Pattern& pattern) const;
  bool follows(const Pattern& pattern, std::size_t before, std::size_t operation) const;

  std::shared_ptr<EventLedger> ledger_;
  const void* device_;
  Takes takes_;
  std::map<const convoy_submission*, Pattern> patterns_;         // by the first operation
  std::unordered_map<const std::uint64_t*, std::uint64_t> own_;  // timelines: step of the last use
  std::uint64_t steps_ = 0;

  // The step that is being submitted.
  std::optional<std::uint64_t> step_;          // its number, once an operation has said it
  std::unordered_set<std::uint32_t> updates_;  // the numbers of those in it
  std::size_t count_ = 0;
  std::vector<Seen> seen_;                           // while it is not known
  const Pattern* expected_ = nullptr;                // null: it is not known
  std::vector<std::shared_ptr<OperationRun>> runs_;  // of the expected one
};

}  // namespace convoy::cuda
