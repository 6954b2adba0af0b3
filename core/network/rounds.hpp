#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/network/messages.hpp"

namespace convoy::network {

// Rounds in which every task brings a blob and gets those of all. Not for several threads at a
// time.
class Rounds {
 public:
  void begin(int tasks);
  // The result when this was the last one. Throws std::invalid_argument when the task has brought a
  // blob to this round already.
  std::optional<RoundResult> add(int rank, Contribution contribution);
  // A round that waits for this task, if any: its name.
  std::optional<std::string> waiting_for(int rank) const;

 private:
  struct Round {
    std::vector<std::optional<std::string>> blobs;
    int missing = 0;
  };
  int tasks_ = 0;
  std::map<std::string, Round> rounds_;
};

}  // namespace convoy::network
