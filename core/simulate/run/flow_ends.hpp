#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/run/event_queue.hpp"

namespace convoy::simulate {

// When flows in progress end. Every flow that begins or ends changes the ends of others, and most
// of them become later. Then the queued event stays in the queue and gets its new time on the way.
class FlowEnds {
 public:
  // Sets the end of a flow. Returns whether the event must be queued, because no queued event of
  // the flow comes early enough.
  bool tell(const Event& end) {
    if (end.index >= flows_.size()) flows_.resize(end.index + 1);
    Flow& flow = flows_[end.index];
    flow.end = end.at;
    flow.number = end.number;
    if (flow.queued_number != 0 && flow.queued_at <= end.at) return false;
    flow.queued_at = end.at;
    flow.queued_number = end.number;
    return true;
  }
  // Ends the flow: its queued events are over.
  void finish(std::uint32_t flow) { flows_[flow] = {}; }
  // Gives the event the flow's newest end. Returns false if the event is over.
  bool renew(Event& event) {
    Flow& flow = flows_[event.index];
    if (flow.queued_number != event.number) return false;
    event.at = flow.queued_at = flow.end;
    event.number = flow.queued_number = flow.number;
    return true;
  }

 private:
  struct Flow {
    Ticks end = 0;
    std::uint64_t number = 0;
    Ticks queued_at = 0;
    std::uint64_t queued_number = 0;  // 0: none is queued
  };
  std::vector<Flow> flows_;
};

}  // namespace convoy::simulate
