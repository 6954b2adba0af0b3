#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/network/time_point.hpp"

namespace convoy::network {

// How the end of a task became known, the surest way first.
enum class CauseKind : int { kReport = 0, kClosed = 1, kSilence = 2 };

struct Cause {
  CauseKind kind = CauseKind::kReport;
  int rank = -1;  // the rank of the task that ended
  TimePoint at;
  std::string text;                    // the whole line that every task prints
  ExitCode code = ExitCode::kTimeout;  // the exit code of every task
};

// Chooses the first cause among those that come close together, because after one task ends, others
// fail a moment later. A task's own report counts before a closed connection, and a closed
// connection before silence. Among equals, the earliest counts. Only one thread may use it at a
// time.
class FirstCause {
 public:
  void add(Cause cause) { causes_.push_back(std::move(cause)); }
  bool empty() const { return causes_.empty(); }
  // Returns the cause once further causes have had time to arrive.
  std::optional<Cause> decide(TimePoint now) const;
  void clear() { causes_.clear(); }
  void forget(int rank) {
    std::erase_if(causes_, [rank](const Cause& it) { return it.rank == rank; });
  }

 private:
  std::vector<Cause> causes_;
};

}  // namespace convoy::network
