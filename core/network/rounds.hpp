#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/network/messages.hpp"

namespace convoy::network {

// Rounds in which every task brings a blob and receives the blobs of all. Only one thread may use
// it at a time.
class Rounds {
 public:
  void begin(int tasks);
  // Adds a blob and returns the result if it was the last one. Throws std::invalid_argument if the
  // task has already brought a blob to this round.
  std::optional<RoundResult> add(int rank, Contribution contribution);
  // The name of a round that waits for this task, if there is one.
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
