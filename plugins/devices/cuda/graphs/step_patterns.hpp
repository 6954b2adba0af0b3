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

// Finds which operations of a device's steps form runs. The host submits the same structs step
// after step, in a few sets that alternate. When a set has arrived twice, its third occurrence is
// divided into runs. If no operation of the device waits for other devices, or they for it, the run
// is the whole step with all its lanes. Otherwise every run is on one lane, begins where an
// operation waits for another lane or device, and ends where another one waits for it. Not
// thread-safe.
class StepPatterns {
 public:
  // takes: whether an operation may be part of a run.
  using Takes = std::function<bool(const convoy_submission&)>;

  // device: identifies this device among those that share the ledger.
  StepPatterns(std::shared_ptr<EventLedger> ledger, const void* device, Takes takes);

  // Call it for every submission. Returns the run that it is part of, with it added; null: none.
  std::shared_ptr<OperationRun> submitted(const convoy_submission& operation);
  // Forgets everything, because it is no longer valid.
  void forget();

 private:
  // The stored part of a submission, which the host may free.
  struct Seen {
    const convoy_submission* operation;
    std::uint32_t lane;
    std::uint32_t kind;
    bool taken;
    convoy_wait reaches;
    std::vector<convoy_wait> waits;
  };
  struct Pattern {
    std::vector<Seen> first;  // its operations at the first occurrence
    int times = 0;
    // Per operation: its run; filled in once the pattern occurred often enough
    std::vector<std::size_t> run_of;
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
  std::map<const convoy_submission*, Pattern> patterns_;  // by the first operation
  // Per timeline: the step of the last use
  std::unordered_map<const std::uint64_t*, std::uint64_t> own_;
  std::uint64_t steps_ = 0;

  // The step that is being submitted.
  std::optional<std::uint64_t> step_;          // its number, if an operation has stated one
  std::unordered_set<std::uint32_t> updates_;  // the numbers of its updates
  std::size_t count_ = 0;
  std::vector<Seen> seen_;             // its operations, while it is unknown
  const Pattern* expected_ = nullptr;  // the known pattern that it matches; null: unknown
  std::vector<std::shared_ptr<OperationRun>> runs_;  // runs of the expected pattern
};

}  // namespace convoy::cuda
