#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/network/addresses.hpp"
#include "core/network/coordinator.hpp"
#include "core/network/security.hpp"
#include "core/network/task_identity.hpp"
#include "core/network/wire.hpp"

namespace convoy::network {

struct ControlOptions {
  TaskIdentity identity;
  double join_timeout = 60;  // seconds to wait for names, connections and the other tasks
  double peer_timeout = 4;   // seconds of silence after which a task is lost
  int restarts = 0;          // only the coordinator uses it
  SecurityOptions security;
  std::string advertise_address;  // empty: the task finds its own address
  Wire* wire = nullptr;           // carries the messages; null: gRPC
  // Returns why a host's name does not resolve on this machine now. Empty if it resolves.
  std::function<std::string(const std::string& host)> resolution_problem =
      &network::resolution_problem;

  // The functions below may be empty. Threads of the control plane call them, too, and they must
  // not call the control plane. This one ends waits: if it returns another code than kOk, the wait
  // fails with this code.
  std::function<ExitCode()> interrupted;
  // Returns the text of an operation of the lowered plan.
  std::function<std::string(std::int64_t operation)> operation_text;
  // Receives a line for the user: a peer is silent, has stalled, or is heard again.
  std::function<void(const std::string&)> notice;
  // Is called when the run has failed. Ends what waits for peers, and must not wait itself.
  std::function<void()> failed;
  // Receives a line for the user of a coordinator whose run is refused: the reason, and that the
  // task stays for a while. The joining thread calls it.
  std::function<void(const std::string&)> staying;
};

// What a task brings to the run according to its flags and plug-ins. ControlPlane adds name, sizes
// and addresses.
struct Introduction {
  std::string program_hash;
  std::string model;
  std::vector<NamedValue> plugins;
  std::vector<NamedValue> flags;
};

// Makes the message with which this task joins: the introduction, its name, the sizes of the run,
// and the address by which others reach it. The address is empty while the coordinator's name does
// not resolve. Looking names up may take long.
Join make_join(const ControlOptions& options, const Introduction& introduction, int generation);
// Finds the address alone, in the same way.
void find_address(const ControlOptions& options, Join& join);

// The options of the coordinator, with a new secret key of the run.
CoordinatorOptions coordinator_options(const ControlOptions& options);

}  // namespace convoy::network
