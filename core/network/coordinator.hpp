#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/network/first_cause.hpp"
#include "core/network/liveness.hpp"
#include "core/network/membership.hpp"
#include "core/network/rounds.hpp"
#include "core/network/stop_agreement.hpp"

namespace convoy::network {

struct CoordinatorOptions {
  TaskName name;  // the task in whose process the coordinator runs
  int workers = 1;
  int servers = 0;
  bool controller = false;
  double join_timeout = 60;  // seconds
  double peer_timeout = 4;   // seconds
  int restarts = 0;
  std::string key;  // 32 random bytes
};

// The decisions of a run's coordinator: who is part of the run, when a task counts as lost and
// which loss was the first, and the rounds and stops. It has no threads, clocks or connections of
// its own: it is told what happens and when, and answers through `send`. Only one thread may use it
// at a time.
class Coordinator {
 public:
  using Send = std::function<void(ConnectionId, const CoordinatorMessage&)>;
  using Close = std::function<void(ConnectionId)>;  // after everything sent before is on its way
  Coordinator(CoordinatorOptions options, Send send, Close close, TimePoint now);
  Coordinator(const Coordinator&) = delete;  // parts of it refer to it
  Coordinator& operator=(const Coordinator&) = delete;

  void received(ConnectionId connection, const TaskMessage& message, TimePoint now);
  void closed(ConnectionId connection, TimePoint now);
  // Call it at least twenty times per peer time-out.
  void tick(TimePoint now);

  // Whether every task has left, is lost or was refused.
  bool finished() const { return phase_ == Phase::kFinished; }
  // Whether the run was refused before it began, and some of its tasks have not heard why.
  bool refuses_late_tasks() const;

 private:
  enum class Phase { kJoining, kRunning, kFinished };

  // A task that waits for the seat of a lost one.
  struct Early {
    ConnectionId connection = 0;
    Join request;
    TimePoint since;
  };

  void join(ConnectionId connection, const Join& join, TimePoint now);
  bool may_replace(const TaskName& name) const;
  void admit(ConnectionId connection, const Join& join, TimePoint now);
  void refuse(ConnectionId connection, const Refusal& refusal);
  void refuse_twins(TimePoint now);
  // Whether tasks join again after a loss.
  bool returns() const { return phase_ == Phase::kJoining && membership_.generation() > 0; }
  void start(TimePoint now);
  void refuse_all(const Refusal& refusal);
  Refusal late_refusal() const;
  void handle(int rank, const TaskMessage& message, TimePoint now);
  void contribute(int rank, const Contribution& contribution, TimePoint now);
  void answer(ConnectionId connection, std::optional<int> rank, const Heartbeat& beat,
              TimePoint now);
  void leave(int rank, TimePoint now);
  void interrupt(int rank, const Interruption& interruption);
  void follow(StopAgreement::Outcome outcome);
  void end_in(CauseKind kind, int rank, const std::string& how, TimePoint now,
              ExitCode code = ExitCode::kTimeout);
  void declare(const Cause& cause, TimePoint now);
  void vacate(const Cause& cause, TimePoint now);
  void end_connection(const Cause& cause);
  void give_up_joining(const Cause& cause);
  void admit_early(TimePoint now);
  void send_all(const CoordinatorMessage& message);

  CoordinatorOptions options_;
  Send send_;
  Close close_;
  Phase phase_ = Phase::kJoining;
  TimePoint join_deadline_;
  Membership membership_;
  Liveness liveness_;
  FirstCause causes_;
  Rounds rounds_;
  StopAgreement stops_;
  std::vector<bool> left_;          // by rank
  bool interrupted_ = false;        // all tasks of this generation know
  std::optional<Refusal> refusal_;  // why there is no run
  std::vector<bool> told_;          // by rank: the task knows the refusal
  // Tasks that survived a loss, or may wake up after their own, and have not joined again.
  std::vector<ConnectionId> returning_;
  // Tasks that were started to replace a lost one before its loss is seen or its cause is known.
  std::vector<Early> early_;
};

}  // namespace convoy::network
