#include "plugins/devices/cuda/graphs/recorded_run.hpp"

#include <exception>
#include <map>

namespace convoy::cuda {
namespace {

constexpr std::size_t kNoStretch = static_cast<std::size_t>(-1);
// Allowed difference between times of marks and those around the launch, in seconds: rounding.
constexpr double kSlack = 1e-5;

}  // namespace

RecordedRun::RecordedRun(const RecordingParts& parts, const OperationRun& run, Signature signature)
    : parts_(parts),
      signature_(std::move(signature)),
      lane_(run.lanes().front()),
      size_(run.operations().size()),
      memory_(parts.memory(size_)),
      open_(kLanes, kNoStretch) {
  record(run);
}

RecordedRun::~RecordedRun() {
  if (graph_ != nullptr) parts_.graphs.destroy(graph_);
  for (GraphDriver::Mark it : marks_) parts_.graphs.destroy_mark(it);
}

// A failure during recording occurs again, with its own text, when the operations run one by one.
// Lanes are always joined, because a recording with an open lane cannot be ended.
void RecordedRun::record(const OperationRun& run) {
  parts_.graphs.begin(parts_.stream(lane_));
  bool complete = true;
  for (const auto part : {&RecordedRun::queue, &RecordedRun::join}) {
    try {
      (this->*part)(run);
    } catch (const std::exception&) {
      complete = false;
    }
  }
  graph_ = parts_.graphs.end(parts_.stream(lane_));
  if (complete || graph_ == nullptr) return;
  parts_.graphs.destroy(graph_);
  graph_ = nullptr;
}

void RecordedRun::fork(const OperationRun& run) {
  const StreamDriver::Event begun = parts_.streams.record(lane_);
  for (const std::uint32_t lane : run.lanes())
    if (lane != lane_) parts_.streams.wait(lane, begun);
  parts_.streams.give_back(begun);
}

void RecordedRun::join(const OperationRun& run) {
  for (const std::uint32_t lane : run.lanes()) {
    if (lane == lane_) continue;
    const StreamDriver::Event done = parts_.streams.record(lane);
    parts_.streams.wait(lane_, done);
    parts_.streams.give_back(done);
  }
}

void RecordedRun::queue(const OperationRun& run) {
  memory_->bring_values(parts_.stream(lane_));
  fork(run);
  std::map<std::size_t, StreamDriver::Event> awaited;
  for (std::size_t i = 0; i < run.operations().size(); ++i)
    for (const std::size_t before : run.links(i)) awaited[before] = nullptr;
  for (std::size_t i = 0; i < run.operations().size(); ++i) {
    const convoy_submission& operation = *run.operations()[i];
    const std::vector<std::size_t>& links = run.links(i);
    go_on(run, i, !links.empty());
    for (const std::size_t before : links) parts_.streams.wait(operation.lane, awaited.at(before));
    if (stretches_[open_[operation.lane]].start == nullptr)
      stretches_[open_[operation.lane]].start = mark(operation.lane);
    parts_.work.queue(operation, &memory_->slot(i), memory_->device_values(i));
    if (const auto it = awaited.find(i); it != awaited.end())
      it->second = parts_.streams.record(operation.lane);
  }
  for (const std::uint32_t lane : run.lanes()) stretches_[open_[lane]].end = mark(lane);
  for (const auto& [place, event] : awaited) parts_.streams.give_back(event);
}

// If an operation waits, its lane's stretch ends. If only the kind changes, one mark ends the
// stretch.
void RecordedRun::go_on(const OperationRun& run, std::size_t place, bool waits) {
  const convoy_submission& operation = *run.operations()[place];
  const std::size_t last = open_[operation.lane];
  const bool first = last == kNoStretch;
  if (first || waits || stretches_[last].kind != operation.kind) {
    GraphDriver::Mark here = nullptr;
    if (!first) here = stretches_[last].end = mark(operation.lane);
    open_[operation.lane] = stretches_.size();
    stretches_.push_back({operation.kind, waits ? nullptr : here, nullptr, {}});
  }
  stretches_[open_[operation.lane]].operations.push_back(place);
}

GraphDriver::Mark RecordedRun::mark(std::uint32_t lane) {
  marks_.push_back(parts_.graphs.make_mark());
  parts_.graphs.place(marks_.back(), parts_.stream(lane));
  return marks_.back();
}

void RecordedRun::set_values(const OperationRun& run) {
  for (std::size_t i = 0; i < run.operations().size(); ++i)
    memory_->values(i) = parts_.work.values(*run.operations()[i]);
}

void RecordedRun::launch() {
  under_way_ = true;
  for (std::size_t i = 0; i < size_; ++i) memory_->slot(i) = {};
  parts_.graphs.launch(graph_, parts_.stream(lane_));
}

// The operations of a stretch share its time evenly. Marks that this launch did not reach are
// ignored.
std::vector<convoy_timing> RecordedRun::times(const convoy_timing& whole) {
  std::vector<convoy_timing> result(size_, whole);
  for (const Stretch& stretch : stretches_) {
    const auto start = parts_.streams.marked_time(stretch.start);
    const auto end = parts_.streams.marked_time(stretch.end);
    if (!start || !end || *start < whole.start - kSlack || *end > whole.end + kSlack ||
        *end < *start)
      continue;
    const double share = (*end - *start) / static_cast<double>(stretch.operations.size());
    double time = *start;
    for (const std::size_t operation : stretch.operations) {
      result[operation] = {time, time + share};
      time += share;
    }
  }
  return result;
}

void RecordedRun::tell(const convoy_submission& operation, std::size_t place) {
  parts_.work.tell(operation, memory_->slot(place));
}

}  // namespace convoy::cuda
