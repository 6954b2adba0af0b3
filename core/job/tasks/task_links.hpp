#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/job/setup.hpp"
#include "core/job/tasks/echo.hpp"
#include "core/network/control_plane.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/transport_plugin.hpp"
#include "core/runtime/network/network_engine.hpp"

namespace convoy::job {

// The links from this task to all others: open transports, the one chosen for each pair, and the
// network engine that uses them.
class TaskLinks {
 public:
  struct Options {
    std::uint32_t lanes = 4;    // independent of each other
    std::uint32_t streams = 4;  // per lane
    double join_timeout = 60;   // seconds
    double peer_timeout = 4;
    std::string listen_address;   // "host:port"; port 0: any
    std::string advertised_host;  // empty: the host of listen_address
    network::SecurityOptions security;
    std::function<double()> now;                   // the devices' clock
    const convoy_device_waking* waking = nullptr;  // belongs to the devices; see NetworkOptions
    std::function<void()> while_waiting;           // throws to end the wait for other tasks
  };

  // All tasks construct their links at the same time. The setup has the transports and their
  // options. The tasks exchange addresses over the control plane, and every pair measures its link.
  // Error kUnavailable if a transport that was named cannot be used, or if no transport connects
  // this task with another one, with the reason for each transport. Error kTimeout if a task does
  // not answer.
  TaskLinks(network::ControlPlane& control, const Setup& setup, const Options& options,
            const plugin::PluginLog& log);
  TaskLinks(const TaskLinks&) = delete;
  TaskLinks& operator=(const TaskLinks&) = delete;

  runtime::NetworkEngine& engine() { return *engine_; }
  // Returns the name of the transport to that task, such as "shm" or "grpc"; empty for this one.
  const std::string& transport_to(std::uint32_t rank) const { return chosen_[rank]; }
  // Returns the link as it was measured before the first step; zeros for this task.
  const MeasuredLink& measured(std::uint32_t rank) const { return measured_[rank]; }

 private:
  struct Transport {
    std::string name;
    std::unique_ptr<plugin::TransportPlugin> plugin;
    std::unique_ptr<plugin::OpenTransport> open;
    std::string address;
  };

  void open_transports(const network::Roster& roster, const Setup& setup, const Options& options,
                       const plugin::PluginLog& log);
  void open(const plugin::FoundPlugin& found, const network::Roster& roster, const Setup& setup,
            const Options& options, const plugin::PluginLog& log);
  runtime::NetworkPeer connect(const network::Roster& roster, std::uint32_t peer,
                               const std::string& offers);
  std::string offers() const;
  void measure(const runtime::NetworkOptions& engine, const Options& options);

  std::vector<Transport> transports_;  // the one with the highest preference first
  std::vector<std::string> left_out_;  // texts such as "mpi: no launcher has started this process"
  std::vector<std::string> chosen_;    // name of the chosen transport, by rank
  std::vector<MeasuredLink> measured_;
  std::unique_ptr<runtime::NetworkEngine> engine_;
};

}  // namespace convoy::job
