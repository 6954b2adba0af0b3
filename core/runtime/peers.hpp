#pragma once

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
};

}  // namespace convoy
