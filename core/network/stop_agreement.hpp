#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/network/messages.hpp"

namespace convoy::network {

// The coordinator's part of an agreed stop: proposes it to all, and says that it holds when all
// have answered. A request for the same reason that comes before that asks for this stop. One stop
// at a time; others wait their turn. Not for several threads at a time.
class StopAgreement {
 public:
  // What all tasks that take part are to be sent now.
  using Outcome = std::variant<std::monostate, StopProposal, StopAgreed>;

  void begin(int tasks);
  Outcome request(const StopRequest& request);
  Outcome answer(int rank, const StopAnswer& answer);
  // The task takes no part, or not any more.
  Outcome leave(int rank);
  // To be called when an agreed stop was sent: the next request, if one waits.
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
