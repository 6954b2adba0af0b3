#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/network/wire.hpp"

namespace convoy::network {

// The members of a run. Each role and index is a seat; the run is complete when all seats are
// taken. Only one thread may use it at a time.
class Membership {
 public:
  // The numbers of tasks of each role are those that the coordinator was given. `key` is the run's
  // secret.
  Membership(const TaskName& coordinator, int workers, int servers, bool controller,
             std::string key);

  // Gives the task its seat. If it cannot join, returns the reason, which names both contradicting
  // tasks.
  std::optional<Refusal> admit(ConnectionId connection, const Join& join);
  // Why a task that was part of an earlier generation has no place in this one: it was away for too
  // long. Nothing if it may be admitted.
  std::optional<Refusal> too_late(const Join& join) const;
  void vacate(int rank);
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
  // The name of the task on a seat, or "worker 3" for a free one.
  std::string text(int rank) const;

  // The roster for a task. The membership must be complete.
  Roster roster(int rank) const;
  // The reason why the tasks cannot reach each other by the addresses that they gave. Nothing if
  // they may.
  std::optional<Refusal> unreachable() const;
  // Names the tasks that have not joined, "worker 2 and ps 0", and those that have.
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
