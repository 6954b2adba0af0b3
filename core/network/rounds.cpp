#include "core/network/rounds.hpp"

#include <stdexcept>

namespace convoy::network {

void Rounds::begin(int tasks) {
  tasks_ = tasks;
  rounds_.clear();
}

std::optional<RoundResult> Rounds::add(int rank, Contribution contribution) {
  Round& round = rounds_[contribution.round];
  if (round.blobs.empty()) {
    round.blobs.resize(static_cast<std::size_t>(tasks_));
    round.missing = tasks_;
  }
  std::optional<std::string>& blob = round.blobs[static_cast<std::size_t>(rank)];
  if (blob)
    throw std::invalid_argument(fmt::format("it came twice to the round '{}'", contribution.round));
  blob = std::move(contribution.blob);
  if (--round.missing > 0) return std::nullopt;
  RoundResult result{contribution.round, {}};
  for (std::optional<std::string>& each : round.blobs) result.blobs.push_back(std::move(*each));
  rounds_.erase(contribution.round);
  return result;
}

std::optional<std::string> Rounds::waiting_for(int rank) const {
  for (const auto& [name, round] : rounds_)
    if (!round.blobs[static_cast<std::size_t>(rank)]) return name;
  return std::nullopt;
}

}  // namespace convoy::network
