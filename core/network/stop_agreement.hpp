#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "core/network/messages.hpp"

namespace convoy::network {

// The coordinator's part of an agreed stop: proposes a step beyond what any task has submitted,
// raises it while a task is further, and says that it holds when all have accepted. One stop at a
// time; others wait their turn. Not for several threads at a time.
class StopAgreement {
 public:
  // What all tasks that take part are to be sent now.
  using Outcome = std::variant<std::monostate, StopProposal, StopAgreed>;

  void begin(int tasks);
  // `newest_step`: the largest step that any task is known to have reached.
  Outcome request(const StopRequest& request, std::int64_t newest_step);
  Outcome answer(int rank, const StopAnswer& answer);
  // The task takes no part, or not any more.
  Outcome leave(int rank);
  // To be called when an agreed stop was sent: the next request, if one waits.
  Outcome next();

 private:
  Outcome propose(std::int64_t step);
  Outcome settle();

  std::vector<bool> takes_part_;
  std::vector<bool> accepted_;
  std::deque<StopRequest> waiting_;
  std::optional<StopProposal> current_;
  std::int64_t stops_ = 0;
  std::int64_t newest_step_ = 0;
};

}  // namespace convoy::network
