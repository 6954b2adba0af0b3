#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::runtime {

// The control plane for a session: small messages between all tasks of a run, beside the
// transports.
class Peers {
 public:
  virtual ~Peers() = default;

  // Returns the data of every task, by number of its host in the cluster. All tasks make the same
  // sequence of calls; a call returns when all tasks have made it. At most 64 MiB each; lengths may
  // differ. Error kTimeout, naming the task, when one is lost.
  virtual std::vector<std::string> exchange(std::string_view own) = 0;
  // The same without waiting: begin_exchange() gives the data, and exchanged() returns the data of
  // all tasks once they have given it. One exchange at a time. In one exchange, some tasks may use
  // this form and others exchange().
  virtual void begin_exchange(std::string_view own) = 0;
  virtual std::optional<std::vector<std::string>> exchanged() = 0;

  // The other functions are for tasks that do not wait for each other. They return at once.

  // Tells the others how many steps this task has finished.
  virtual void tell_steps(std::int64_t steps) = 0;
  // How many steps all workers together have finished, as far as the chief knows; empty on other
  // tasks.
  virtual std::optional<std::int64_t> steps_of_all() = 0;
  // Asks all tasks to finish their open steps and to meet, for a pause or for the end.
  virtual void request_drain(bool is_last) = 0;
  // The oldest agreed drain that is not finished here; the value says whether it is the last.
  // Drains have the same order on all tasks. Error kTimeout when a task is lost.
  virtual std::optional<bool> agreed_drain() = 0;
  // Records that this task has met the others. Requires an agreed drain.
  virtual void finish_drain() = 0;
};

}  // namespace convoy::runtime
