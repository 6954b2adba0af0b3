#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.hpp"
#include "core/network/task_name.hpp"

namespace convoy::network {

// The messages between tasks and their coordinator, as plain data. core/network/grpc carries them.

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
};

// What a task brings when it joins. Of a server, only name, version, program hash and sizes count,
// because the chief sends it the rest.
struct Join {
  TaskName name;
  int generation = 0;  // 0 for a process that has just started
  std::string version;
  std::string program_hash;
  std::string machine;    // the same for all tasks of one machine
  std::string address;    // the host by which others reach this task
  bool loopback = false;  // the address is reachable only on this machine
  int workers = 1;        // the number that this task was given
  int servers = 0;
  bool controller = false;
  std::string model;
  std::vector<NamedValue> plugins;  // name and hash of each plug-in file in use
  std::vector<NamedValue> flags;    // flags that must agree: "--batch_size", "8"
};

struct Heartbeat {
  Position position;
  std::int64_t sent = 0;  // in nanoseconds of the sender's clock
};
// The largest blob of a task in a round.
inline constexpr std::size_t kMostBlobBytes = std::size_t{64} << 20;
// The blob of one task in a round of all tasks.
struct Contribution {
  std::string round;
  std::string blob;
};
// The last message of a task that fails.
struct Goodbye {
  int code = 0;  // an exit code
  std::string text;
  Position position;
};
// The task has ended its work.
struct Leave {};
// Asks for a stop of asynchronous training: every task ends the work that it has submitted, at a
// step of its own. Synchronous training needs no such stop, because its tasks take the same steps
// and meet in rounds.
struct StopRequest {
  std::string reason;
};
// Tells that the task knows of the stop.
struct StopAnswer {
  std::int64_t stop = 0;
};
// A task was interrupted, so all tasks are to end together. The coordinator passes the first
// interruption on to all tasks. They receive it before the effects of anything that the interrupted
// task says later.
struct Interruption {
  // The exit code of all tasks: kInterrupted or kTerminated.
  ExitCode code = ExitCode::kInterrupted;
  // From a task: what interrupted it, "SIGINT". From the coordinator: which task was interrupted by
  // what.
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
  int rank = 0;  // the rank of the receiving task
  int generation = 0;
  std::string key;  // 32 random bytes that only the tasks of this run know
  std::vector<Member> members;
};
struct Refusal {
  ExitCode code = ExitCode::kUsage;
  std::string text;
};
// Answers a heartbeat.
struct Pulse {
  std::int64_t sent = 0;      // copied from the heartbeat
  std::int64_t received = 0;  // in nanoseconds of the coordinator's clock
  std::int64_t replied = 0;
  std::vector<Position> positions;  // of all tasks, by rank; only the chief receives them
};
// The blobs of all tasks in a round, by rank.
struct RoundResult {
  std::string round;
  std::vector<std::string> blobs;
};
struct StopProposal {
  std::int64_t stop = 0;  // the number of the stop in its generation
  std::string reason;
};
// All tasks know of the stop, so it is agreed.
struct StopAgreed {
  std::int64_t stop = 0;
};
// A line for the user that is no error: a task is silent, has stalled, or is heard again.
struct Notice {
  std::string text;
};
// The run cannot continue as it is. With `restart`, the tasks join again in the next generation.
struct Loss {
  ExitCode code = ExitCode::kTimeout;
  std::string text;
  bool restart = false;
};
// The last worker has left the run.
struct End {};

using CoordinatorMessage = std::variant<Roster, Refusal, Pulse, RoundResult, StopProposal,
                                        StopAgreed, Interruption, Notice, Loss, End>;

// Joins functions into one that calls the function for the type that a variant holds.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace convoy::network
