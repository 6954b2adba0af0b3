#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "plugins/devices/cuda/graphs/graph_driver.hpp"

namespace convoy::cuda {

// The addresses that a recorded segment holds by value: it is valid for these alone.
struct GraphKey {
  const void* parameters = nullptr;
  const void* gradients = nullptr;
  const void* state = nullptr;
  const void* loss_scale = nullptr;

  bool operator==(const GraphKey&) const = default;
};

// The segments of a program as CUDA graphs. A segment runs as it is the first time, since libraries
// load code and take memory when they are first used; the second time it is recorded, and from then
// on one launch replays it. What comes with other addresses is recorded anew, for up to four of
// them; what cannot be recorded runs as it is for ever. Called by one thread.
class ReplayedSegments {
 public:
  // A pass, true = forward, and a segment of it.
  using Name = std::pair<bool, std::size_t>;

  explicit ReplayedSegments(GraphDriver& driver) : driver_(driver) {}
  ~ReplayedSegments();
  ReplayedSegments(const ReplayedSegments&) = delete;
  ReplayedSegments& operator=(const ReplayedSegments&) = delete;

  // queue: queues the segment's work on the stream, the same for every call with this name and key.
  void run(Name name, const GraphKey& key, cudaStream_t stream, const std::function<void()>& queue);

 private:
  struct Recording {
    GraphKey key;
    GraphDriver::Graph graph = nullptr;  // null: was run once, or cannot be recorded
  };
  struct Segment {
    std::vector<Recording> recordings;
    bool refused = false;
  };

  GraphDriver::Graph record(cudaStream_t stream, const std::function<void()>& queue);

  GraphDriver& driver_;
  std::map<Name, Segment> segments_;
};

}  // namespace convoy::cuda
