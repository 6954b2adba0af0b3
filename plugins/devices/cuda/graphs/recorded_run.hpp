#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plugins/devices/cuda/graphs/graph_driver.hpp"
#include "plugins/devices/cuda/graphs/run_memory.hpp"
#include "plugins/devices/cuda/graphs/run_replayer.hpp"
#include "plugins/devices/cuda/graphs/run_work.hpp"
#include "plugins/devices/cuda/lanes/lane_engine.hpp"

namespace convoy::cuda {

// The objects that recording needs.
struct RecordingParts {
  GraphDriver& graphs;
  StreamDriver& streams;
  RunWork& work;
  std::function<cudaStream_t(std::uint32_t lane)> stream;
  std::function<std::unique_ptr<RunMemory>(std::size_t operations)> memory;
};

// A run of operations as a graph. Its lanes fork from the lane of the first operation and join it
// again. Waits for another lane within the run are part of the graph. Times are noted where one
// kind of operations ends and another begins. Results and step values have memory of their own,
// which is free for the next launch when all operations of the last one were finished.
class RecordedRun : public ReplayedRun {
 public:
  // Records the run. It fails permanently when a part of the run cannot be recorded.
  RecordedRun(const RecordingParts& parts, const OperationRun& run, Signature signature);
  ~RecordedRun() override;
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  const Signature& signature() const { return signature_; }
  bool failed() const { return graph_ == nullptr; }
  bool is_under_way() const { return under_way_; }
  void set_values(const OperationRun& run);

  void launch() override;
  std::vector<convoy_timing> times(const convoy_timing& whole) override;
  void tell(const convoy_submission& operation, std::size_t place) override;
  void landed() override { under_way_ = false; }

 private:
  // Consecutive operations of one kind on a lane.
  struct Stretch {
    std::uint32_t kind;
    GraphDriver::Mark start;
    GraphDriver::Mark end;
    std::vector<std::size_t> operations;
  };

  void record(const OperationRun& run);
  void queue(const OperationRun& run);
  void fork(const OperationRun& run);
  void join(const OperationRun& run);
  void go_on(const OperationRun& run, std::size_t place, bool waits);
  GraphDriver::Mark mark(std::uint32_t lane);

  RecordingParts parts_;
  Signature signature_;
  std::uint32_t lane_;
  std::size_t size_;
  std::unique_ptr<RunMemory> memory_;
  std::vector<GraphDriver::Mark> marks_;
  std::vector<Stretch> stretches_;
  std::vector<std::size_t> open_;  // per lane: its latest stretch, while recording
  GraphDriver::Graph graph_ = nullptr;
  bool under_way_ = false;
};

}  // namespace convoy::cuda
