#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.hpp"
#include "core/network/task_name.hpp"

namespace convoy::network {

// What tasks and their coordinator tell each other, as plain data. core/network/grpc carries it.

struct NamedValue {
  std::string name;
  std::string value;
  bool operator==(const NamedValue&) const = default;
};

// How far a task has come.
struct Position {
  std::int64_t step = 0;
  std::int64_t operation = -1;  // its number in the lowered plan; -1: none
  std::string operation_text;   // for example "all_reduce affine0"
  double busy_seconds = 0;      // what its lanes have worked, waiting not counted
};

// What a task brings when it joins. Servers need name, version and sizes only: the rest comes from
// the chief.
struct Join {
  TaskName name;
  int generation = 0;  // 0: a process that has just started
  std::string version;
  std::string program_hash;
  std::string machine;    // the same for all tasks of one machine
  std::string address;    // the host by which others reach this task
  bool loopback = false;  // that is this machine only, as this task knows it
  int workers = 1;        // as this task was told
  int servers = 0;
  bool controller = false;
  std::string model;
  std::vector<NamedValue> plugins;  // name and hash of each file that takes part
  std::vector<NamedValue> flags;    // "--batch_size", "8": those that must agree
  std::vector<NamedValue> layouts;  // how devices store variables
};

struct Heartbeat {
  Position position;
  std::int64_t sent = 0;  // nanoseconds of the sender's clock
};
// What one task brings to a round that all take part in.
struct Contribution {
  std::string round;
  std::string blob;
};
// The task's last words.
struct Goodbye {
  int code = 0;  // an exit code
  std::string text;
  Position position;
};
// The task is through, in order.
struct Leave {};
// A stop of asynchronous training: every task ends what it has submitted, each at a step of its
// own. Synchronous training needs none, for its tasks take the same steps and meet in rounds.
struct StopRequest {
  std::string reason;
};
// The task knows of the stop.
struct StopAnswer {
  std::int64_t stop = 0;
};
// A task was interrupted, so all are to end together, in order. The coordinator passes the first
// one on to all tasks, before anything that the task says behind it has an effect on them.
struct Interruption {
  ExitCode code = ExitCode::kInterrupted;  // with which all end: kInterrupted or kTerminated
  // Of a task what interrupted it, "SIGINT"; of the coordinator who was interrupted by what.
  std::string text;
};

using TaskMessage = std::variant<Join, Heartbeat, Contribution, Goodbye, Leave, StopRequest,
                                 StopAnswer, Interruption>;

// One task of a run. Its rank is its place in the roster: workers, then servers, then the
// controller.
struct Member {
  TaskName name;
  std::string address;
  std::string machine;
  bool operator==(const Member&) const = default;
};
struct Roster {
  int rank = 0;  // of the task that it is sent to
  int generation = 0;
  std::string key;  // 32 random bytes that only the tasks of this run know
  std::vector<Member> members;
};
struct Refusal {
  ExitCode code = ExitCode::kUsage;
  std::string text;
};
struct MemberState {
  Position position;
  double silent_seconds = 0;  // since it was heard
  bool stalled = false;       // it is heard, and does not get on
};
// Answers a heartbeat.
struct Pulse {
  std::int64_t sent = 0;      // as in the heartbeat
  std::int64_t received = 0;  // nanoseconds of the coordinator's clock
  std::int64_t replied = 0;
  std::vector<MemberState> members;  // by rank, for the chief only
};
// What all tasks brought to a round, by rank.
struct RoundResult {
  std::string round;
  std::vector<std::string> blobs;
};
struct StopProposal {
  std::int64_t stop = 0;  // numbers the stops of a generation
  std::string reason;
};
// All tasks know of the stop: it holds.
struct StopAgreed {
  std::int64_t stop = 0;
};
// Something worth a line, not a fault: a task that is silent or stalled, or is heard again.
struct Notice {
  std::string text;
};
// The run cannot go on as it is. With `restart`, tasks join again in the next generation.
struct Loss {
  int rank = -1;  // of the task that is the cause; -1: the coordinator
  ExitCode code = ExitCode::kTimeout;
  std::string text;
  bool restart = false;
};
// The last worker has left in order.
struct End {};

using CoordinatorMessage = std::variant<Roster, Refusal, Pulse, RoundResult, StopProposal,
                                        StopAgreed, Interruption, Notice, Loss, End>;

// Calls the one of several functions that takes what the variant holds.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace convoy::network
