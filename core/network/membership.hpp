#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/network/wire.hpp"

namespace convoy::network {

// Who is part of a run. Seats are given out by role and index; the run is complete when all are
// taken. Not for several threads at a time.
class Membership {
 public:
  // How many tasks of each role there are, as the coordinator was told; `key` is the run's secret.
  Membership(const TaskName& coordinator, int workers, int servers, bool controller,
             std::string key);

  // Why the task cannot join, with both sides named; nothing: it has its seat.
  std::optional<Refusal> admit(ConnectionId connection, const Join& join);
  // Frees all seats for the next generation.
  void begin_generation();

  bool complete() const;
  int generation() const { return generation_; }
  int size() const { return static_cast<int>(seats_.size()); }
  std::optional<int> rank_of(ConnectionId connection) const;
  // The rank of the task that has this role and index, joined or not.
  std::optional<int> seat_of(const TaskName& name) const;
  ConnectionId connection_of(int rank) const;
  bool taken(int rank) const { return seats_[static_cast<std::size_t>(rank)].join.has_value(); }
  // Who sits there, or "worker 3" of a free seat.
  std::string text(int rank) const;

  // What every task is told; only of a complete membership.
  Roster roster(int rank) const;
  // Why the addresses that the tasks gave do not connect them; nothing when they may.
  std::optional<Refusal> unreachable() const;
  // The tasks that have not joined, "worker 2 and ps 0", and the tasks that have.
  std::string missing_text() const;
  std::string joined_text() const;

 private:
  struct Seat {
    Role role = Role::kWorker;
    int index = 0;
    ConnectionId connection = 0;
    std::optional<Join> join{};
  };
  std::string listed(bool joined) const;

  TaskName coordinator_;
  int workers_;
  int servers_;
  bool controller_;
  std::string key_;
  int generation_ = 0;
  std::vector<Seat> seats_;
};

}  // namespace convoy::network
