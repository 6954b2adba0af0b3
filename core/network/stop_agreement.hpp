#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/network/messages.hpp"

namespace convoy::network {

// The coordinator's part of an agreed stop. It proposes the stop to all tasks, and the stop is
// agreed when all have answered. Until then, requests with the same reason ask for the same stop.
// There is one stop at a time; others wait. Only one thread may use it at a time.
class StopAgreement {
 public:
  // The message to send now to all tasks that take part.
  using Outcome = std::variant<std::monostate, StopProposal, StopAgreed>;

  void begin(int tasks);
  Outcome request(const StopRequest& request);
  Outcome answer(int rank, const StopAnswer& answer);
  // The task does not take part, or no longer does.
  Outcome leave(int rank);
  // Call it when an agreed stop was sent. Begins the next stop, if a request waits.
  Outcome next();

 private:
  Outcome settle();

  std::vector<bool> takes_part_;
  std::vector<bool> answered_;
  std::deque<std::string> waiting_;  // reasons
  std::optional<StopProposal> current_;
  std::int64_t stops_ = 0;
};

}  // namespace convoy::network
