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
  double join_timeout = 60;  // seconds, for names, connections and the other tasks
  double peer_timeout = 4;   // seconds of silence that count as death
  int restarts = 0;          // read by the coordinator only
  SecurityOptions security;
  std::string advertise_address;  // empty: found out
  Wire* wire = nullptr;           // what carries messages; null: gRPC
  // Why a host's name means nothing on this machine, for now; empty: it means something.
  std::function<std::string(const std::string& host)> resolution_problem =
      &network::resolution_problem;

  // The functions below may be empty. Each is called by threads of the control plane, too, and must
  // not call the control plane. What ends a wait: another code than kOk becomes the error of the
  // wait.
  std::function<ExitCode()> interrupted;
  // The text of an operation of the lowered plan.
  std::function<std::string(std::int64_t operation)> operation_text;
  // A line for the user: a peer is silent, stalled, or heard again.
  std::function<void(const std::string&)> notice;
  // The run has failed: ends what waits for peers. Must not wait itself.
  std::function<void()> failed;
  // A line for the user of a coordinator whose run is refused: why, and that the task stays for a
  // while. Called by the thread that joins.
  std::function<void(const std::string&)> staying;
};

// What a task brings to the run, as far as the host's flags and plug-ins say it. Name, sizes and
// addresses are added by ControlPlane.
struct Introduction {
  std::string program_hash;
  std::string model;
  std::vector<NamedValue> plugins;
  std::vector<NamedValue> flags;
  std::vector<NamedValue> layouts;
};

// What this task joins with: what it brings, and its name, sizes and the address that others reach
// it by. The address is empty while the coordinator's name means nothing. Looks names up, which may
// take long.
Join make_join(const ControlOptions& options, const Introduction& introduction, int generation);
// The address alone, likewise.
void find_address(const ControlOptions& options, Join& join);

// What the coordinator is started with, a new secret key of the run included.
CoordinatorOptions coordinator_options(const ControlOptions& options);

}  // namespace convoy::network
