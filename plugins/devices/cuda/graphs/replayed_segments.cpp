#include "plugins/devices/cuda/graphs/replayed_segments.hpp"

#include <algorithm>
#include <exception>

namespace convoy::cuda {
namespace {

// Strategies rotate two sets of parameters or gradients at most.
constexpr std::size_t kMostRecordings = 4;

}  // namespace

ReplayedSegments::~ReplayedSegments() {
  for (const auto& [name, segment] : segments_)
    for (const Recording& it : segment.recordings)
      if (it.graph != nullptr) driver_.destroy(it.graph);
}

// What fails while it is recorded shows again when it is run as it is, with its own words.
GraphDriver::Graph ReplayedSegments::record(cudaStream_t stream,
                                            const std::function<void()>& queue) {
  driver_.begin(stream);
  bool complete = true;
  try {
    queue();
  } catch (const std::exception&) {
    complete = false;
  }
  const GraphDriver::Graph graph = driver_.end(stream);
  if (complete || graph == nullptr) return graph;
  driver_.destroy(graph);
  return nullptr;
}

void ReplayedSegments::run(Name name, const GraphKey& key, cudaStream_t stream,
                           const std::function<void()>& queue) {
  Segment& segment = segments_[name];
  if (segment.refused) return queue();
  const auto found = std::find_if(segment.recordings.begin(), segment.recordings.end(),
                                  [&](const Recording& recording) { return recording.key == key; });
  if (found == segment.recordings.end()) {
    if (segment.recordings.size() < kMostRecordings) segment.recordings.push_back({key});
    return queue();
  }
  if (found->graph == nullptr) found->graph = record(stream, queue);
  if (found->graph != nullptr) return driver_.launch(found->graph, stream);
  segment.refused = true;
  queue();
}

}  // namespace convoy::cuda
