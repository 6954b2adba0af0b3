#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// The control plane as a session sees it: small messages between all tasks of a run, beside what
// transports carry.
class Peers {
 public:
  virtual ~Peers() = default;

  // What every task gave, by number of its host in the cluster. All tasks call it equally often, in
  // the same order of what they do; it returns when all have. At most 16 MiB each, of any lengths.
  // Error kTimeout, naming the task, when one is lost.
  virtual std::vector<std::string> exchange(std::string_view own) = 0;
  // The same for a task that goes on in between: gives, and what all gave once they have. One at a
  // time; of the tasks in one exchange, some may call this and others that.
  virtual void begin_exchange(std::string_view own) = 0;
  virtual std::optional<std::vector<std::string>> exchanged() = 0;

  // The rest is for tasks that do not wait for each other. These functions return at once.
  // Tells the others how many steps this task has finished.
  virtual void tell_steps(std::int64_t steps) = 0;
  // How many steps all workers together have finished, as far as the chief has heard; nothing on
  // other tasks.
  virtual std::optional<std::int64_t> steps_of_all() = 0;
  // Asks all tasks to end what they have begun and to meet: for a pause, or for good.
  virtual void request_drain(bool is_last) = 0;
  // The oldest drain that all have agreed to and that was not finished here: whether it is the
  // last. Drains come in the same order everywhere. Error kTimeout when a task is lost.
  virtual std::optional<bool> agreed_drain() = 0;
  // This task has met the others; there is an agreed one.
  virtual void finish_drain() = 0;
};

}  // namespace convoy
