#pragma once

#include <convoy/abi.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/devices/cuda/graphs/graph_driver.hpp"
#include "plugins/devices/cuda/graphs/operation_signature.hpp"
#include "plugins/devices/cuda/graphs/run_memory.hpp"
#include "plugins/devices/cuda/graphs/run_work.hpp"
#include "plugins/devices/cuda/lanes/lane_engine.hpp"

// What records and replays runs of operations, with a diary in place of graphs, streams and work.
namespace convoy::cuda {

using Diary = std::vector<std::string>;

inline cudaStream_t stream_of(std::uint32_t lane) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number stands for a handle.
  return reinterpret_cast<cudaStream_t>(static_cast<std::uintptr_t>(lane + 1));
}
inline std::string lane_of(cudaStream_t stream) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(stream) - 1);
}
inline std::string number(const void* handle) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(handle));
}
inline void* handle(std::size_t number) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number stands for a handle.
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(number));
}

class DiaryGraphs : public GraphDriver {
 public:
  explicit DiaryGraphs(Diary& diary) : diary_(diary) {}
  void begin(cudaStream_t stream) override { diary_.push_back("begin on " + lane_of(stream)); }
  Graph end(cudaStream_t stream) override {
    diary_.push_back("end on " + lane_of(stream));
    if (refuses) return nullptr;
    ++alive;
    return handle(++made_);
  }
  void launch(Graph graph, cudaStream_t stream) override {
    diary_.push_back("graph " + number(graph) + " on " + lane_of(stream));
  }
  void destroy(Graph) override { --alive; }
  Mark make_mark() override {
    ++alive;
    return handle(++marks_);
  }
  void place(Mark mark, cudaStream_t stream) override {
    diary_.push_back("mark " + number(mark) + " on " + lane_of(stream));
  }
  void destroy_mark(Mark) override { --alive; }

  bool refuses = false;
  int alive = 0;

 private:
  Diary& diary_;
  std::size_t made_ = 0;
  std::size_t marks_ = 0;
};

class DiaryStreams : public StreamDriver {
 public:
  explicit DiaryStreams(Diary& diary) : diary_(diary) {}
  void begin_thread() override {}
  Event record(std::uint32_t lane) override {
    diary_.push_back("event " + std::to_string(++events_) + " on " + std::to_string(lane));
    ++open;
    return handle(events_);
  }
  void wait(std::uint32_t lane, Event event) override {
    diary_.push_back(std::to_string(lane) + " waits for " + number(event));
  }
  bool reached(Event) override { return true; }
  double time(Event) override { return 0; }
  // Ten times its number.
  std::optional<double> marked_time(Event mark) override {
    if (forgets) return std::nullopt;
    return 10.0 * static_cast<double>(reinterpret_cast<std::uintptr_t>(mark));
  }
  void give_back(Event) override { --open; }

  bool forgets = false;
  int open = 0;

 private:
  Diary& diary_;
  std::size_t events_ = 0;
};

class DiaryMemory : public RunMemory {
 public:
  DiaryMemory(Diary& diary, std::size_t operations)
      : diary_(diary), values_(operations), slots_(operations) {}
  StepValues& values(std::size_t operation) override { return values_[operation]; }
  const StepValues* device_values(std::size_t operation) const override {
    return &values_[operation];
  }
  PinnedSlots::Slot& slot(std::size_t operation) override { return slots_[operation]; }
  void bring_values(cudaStream_t stream) override {
    diary_.push_back("values on " + lane_of(stream));
  }

 private:
  Diary& diary_;
  std::vector<StepValues> values_;
  std::vector<PinnedSlots::Slot> slots_;
};

class DiaryWork : public RunWork {
 public:
  explicit DiaryWork(Diary& diary) : diary_(diary) {}
  bool takes(const convoy_submission&) const override { return true; }
  bool describe(const convoy_submission& it, Signature& signature) override {
    append_signature(it, signature);
    return ran;
  }
  StepValues values(const convoy_submission& it) override {
    return {it.step, static_cast<float>(it.learning_rate)};
  }
  void begin(const convoy_submission& it) override { note("bring", it); }
  void end(const convoy_submission& it) override { note("release", it); }
  void queue(const convoy_submission& it, PinnedSlots::Slot* slot,
             const StepValues* values) override {
    if (fails == &it) throw std::runtime_error("bad shape");
    on_queue();
    note("queue", it);
    slot_of[&it] = slot;
    values_of[&it] = values;
  }
  void tell(const convoy_submission&, const PinnedSlots::Slot& slot) override {
    told.push_back(slot.number);
  }

  bool ran = true;
  const convoy_submission* fails = nullptr;
  std::function<void()> on_queue = [] {};
  std::map<const convoy_submission*, PinnedSlots::Slot*> slot_of;
  std::map<const convoy_submission*, const StepValues*> values_of;
  std::vector<double> told;

 private:
  void note(const std::string& what, const convoy_submission& it) {
    diary_.push_back(what + " " + std::to_string(it.operation));
  }

  Diary& diary_;
};

}  // namespace convoy::cuda
