// The queue of a transport's events that poll has not returned yet. Not thread-safe. The meaning of
// every kind is in convoy/abi/transport.h.
#ifndef CONVOY_TRANSPORT_EVENTS_HPP
#define CONVOY_TRANSPORT_EVENTS_HPP

#include <convoy/abi/transport.h>

#include <algorithm>
#include <convoy/host_calls.hpp>
#include <convoy/transfer_flow.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

namespace convoy {

class TransportEvents {
 public:
  bool empty() const { return events_.empty(); }

  void done(const convoy_transfer& transfer) { end(CONVOY_EVENT_DONE, transfer); }
  void cancelled(const convoy_transfer& transfer) { end(CONVOY_EVENT_CANCELLED, transfer); }
  void connected(uint32_t peer) { add(CONVOY_EVENT_CONNECTED, peer); }
  void lost(uint32_t peer, convoy_transport_reason reason, const std::string& text, int error = 0) {
    convoy_transport_event& event = add(CONVOY_EVENT_PEER_LOST, peer);
    event.reason = reason;
    event.error = error;
    set_text(event.text, text);
  }
  // Increments the count of the last event if that has the same peer and reason.
  void refused(uint32_t peer, const RefusedInput& input) {
    if (!events_.empty() && events_.back().kind == CONVOY_EVENT_REFUSED &&
        events_.back().peer == peer && events_.back().reason == input.reason()) {
      ++events_.back().count;
      return;
    }
    convoy_transport_event& event = add(CONVOY_EVENT_REFUSED, peer);
    event.reason = input.reason();
    event.count = 1;
    set_text(event.text, input.what());
  }

  // Moves the oldest events to `out`, as many as fit, and returns their number.
  uint64_t take(std::span<convoy_transport_event> out) {
    const std::size_t count = std::min(out.size(), events_.size());
    std::copy_n(events_.begin(), count, out.begin());
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }

 private:
  convoy_transport_event& add(convoy_transport_event_kind kind, uint32_t peer) {
    convoy_transport_event event{};
    event.kind = kind;
    event.peer = peer;
    return events_.emplace_back(event);
  }
  void end(convoy_transport_event_kind kind, const convoy_transfer& transfer) {
    add(kind, transfer.peer).token = transfer.token;
  }

  std::deque<convoy_transport_event> events_;
};

}  // namespace convoy

#endif
