#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/network/clock_offset.hpp"
#include "core/network/connection_failure.hpp"
#include "core/network/control_options.hpp"
#include "core/network/coordinator_service.hpp"
#include "core/network/stop_schedule.hpp"
#include "core/network/wire.hpp"

namespace convoy::network {

// A task is lost, so the run cannot continue as it is. The text is the line that every task prints.
class PeerLost : public Error {
 public:
  explicit PeerLost(const Loss& loss) : Error(loss.code, loss.text), loss_(loss) {}
  // Whether the tasks join again (rejoin) and continue from a checkpoint.
  bool restart() const { return loss_.restart; }

 private:
  Loss loss_;
};

// This task's side of the run. It joins, sends heartbeats, and takes part in rounds and stops. In
// the coordinator's process, it also runs the coordinator. Any thread may call any function. Every
// wait ends with an Error when the run fails (PeerLost), when `interrupted` says so, or, while
// joining, at the time-out.
class ControlPlane : private ClientEvents {
 public:
  // Connects and waits until all tasks have joined. Throws Error: kUsage or kUnavailable if two
  // tasks contradict each other, kTimeout if one is missing. The error names these tasks.
  ControlPlane(const ControlOptions& options, const Introduction& introduction);
  // Without a call of leave or say_goodbye before, the other tasks count this one as lost.
  ~ControlPlane() override;

  // The tasks of the run, this task's rank, the generation and the run's secret key.
  Roster roster() const;
  // For the chief: the newest position of every task, by rank. Empty for other tasks.
  std::vector<Position> positions() const;
  // The coordinator's clock minus this one (steady_clock, in nanoseconds), and the bound of its
  // error. Waits for the answer to a first heartbeat. The coordinator's own process has the same
  // clock.
  ClockOffset clock_offset();

  // All workers and servers call these functions with the same names in the same order. This one
  // returns the blobs of all tasks by rank; a blob has at most kMostBlobBytes.
  std::vector<std::string> exchange(const std::string& round, std::string blob);
  // The same in two parts: the first brings the blob, and the second returns the blobs of all.
  void begin_exchange(const std::string& round, std::string blob);
  std::optional<std::vector<std::string>> exchanged(const std::string& round);
  // Returns the chief's blob. Those of other tasks are ignored.
  std::string broadcast(const std::string& round, std::string blob);

  // Sets the position that heartbeats report. It takes no lock and sends no message.
  void set_position(std::int64_t step, std::int64_t operation);
  // Until the next position, heartbeats name no operation.
  void leave_operation() { operation_ = -1; }

  // Throws PeerLost if the run has failed.
  void check() const;

  // Tells all tasks, once, that this task was interrupted, by "SIGINT" for example, and that all
  // are to end. They learn it before anything that this task says afterwards in rounds and about
  // stops.
  void interrupt_all(ExitCode code, const std::string& by);
  // The interruption that all tasks know of, with a text for the user: which task was interrupted
  // by what.
  std::optional<Interruption> interruption() const;

  // Asks for a stop of all tasks: each task ends the work that it has submitted, at a step of its
  // own. Tasks that ask with the same reason at the same time ask for a single stop. Does not wait.
  void request_stop(const std::string& reason);
  // The oldest stop that all tasks know of and that this task has not finished. Does not wait.
  std::optional<AgreedStop> agreed_stop() const;
  // Records that this task has acted on the stop.
  void finish_stop(std::int64_t stop);

  // Joins the next generation in this process, after PeerLost with restart().
  void rejoin(const Introduction& introduction);

  // Waits until the last worker has left; for servers and the controller. It calls `while_waiting`
  // every few milliseconds, which may call this object.
  void wait_for_end(const std::function<void()>& while_waiting = [] {});
  // Leaves the run, because this task has done its work. The coordinator's task waits for all
  // others.
  void leave();
  // Tells the other tasks that this one ends, and the error that is the reason.
  void say_goodbye(ExitCode code, const std::string& text);

 private:
  using Lock = std::unique_lock<std::mutex>;

  void received(CoordinatorMessage message) override;
  void closed(const std::string& reason) override;
  void take(const Pulse& pulse);
  void fail_locked(const Loss& loss);
  void fail_without_connection();
  void send_locked(const TaskMessage& message);
  Position position() const;
  std::string own_position() const;

  void start_coordinator();
  void await_own_name();
  void tell_late_tasks(const std::string& why);
  void disconnect();
  void join(const Join& join);
  void connect_once(Lock& lock, Join& join);
  [[noreturn]] void fail_to_reach(const ConnectionFailure& failure) const;
  void await_roster(Lock& lock);
  void beat(const std::stop_token& stop);
  void look_after_coordinator(TimePoint now);
  // Waits until `done` returns true. Throws as every wait does. `what` completes "interrupted while
  // waiting for".
  void wait(Lock& lock, const std::string& what, const std::function<bool()>& done);
  void check_locked() const;

  ControlOptions options_;
  Wire& wire_;
  HostPort coordinator_;
  WireSecurity security_;
  std::unique_ptr<CoordinatorService> service_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Roster> roster_;
  std::optional<Refusal> refusal_;
  std::optional<Loss> loss_;
  std::optional<Interruption> interruption_;
  bool asked_to_end_ = false;          // the coordinator knows of this task's interruption
  std::optional<std::string> closed_;  // why the connection ended
  bool heard_ = false;                 // the coordinator has answered on this connection
  bool leaving_ = false;
  bool ended_ = false;
  TimePoint last_heard_;
  TimePoint last_beat_;
  std::map<std::string, std::vector<std::string>> results_;
  std::vector<Position> positions_;
  ClockOffset offset_;
  StopSchedule stops_;
  std::atomic<std::int64_t> step_ = 0;
  std::atomic<std::int64_t> operation_ = -1;
  std::unique_ptr<WireClient> client_;
  std::jthread heart_;
};

}  // namespace convoy::network
