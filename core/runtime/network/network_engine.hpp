#pragma once

#include <convoy/abi/submission.h>
#include <convoy/abi/transport.h>
#include <convoy/abi/waking.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "core/plugin/transport_plugin.hpp"
#include "core/runtime/network/network_lane.hpp"
#include "core/runtime/network/wake_up.hpp"
#include "core/runtime/timeline_watch.hpp"

namespace convoy::runtime {

// Another process of the run, and the transport to it.
struct NetworkPeer {
  std::string name;  // for messages: "worker 1 (host7, pid 4711)"
  plugin::OpenTransport* transport =
      nullptr;  // connected or connecting; null: nothing is sent to it
};

struct NetworkOptions {
  std::uint32_t generation = 0;    // the run's generation, with which the transports were opened
  std::vector<NetworkPeer> peers;  // by number of the host in the cluster
  std::function<double()> now;     // the devices' clock
  // In bytes; larger spans are sent as several messages. The same on all hosts.
  std::uint64_t largest_message = CONVOY_MESSAGE_BYTES;
  std::uint32_t channels = 1;  // per peer and direction; lanes of different channels do not wait
                               // for each other
  // Channels of the transports per lane: lane c has the channels from c * streams on. The same on
  // all hosts.
  std::uint32_t streams = 1;
  // How the devices and the engine wake each other when timelines advance. Null: both poll.
  const convoy_device_waking* waking = nullptr;
};

// The position of this host's network lanes, for heartbeats: the message that began last.
struct NetworkPosition {
  std::uint32_t step = 0;
  std::uint32_t operation = 0;  // id in the lowered plan; CONVOY_NONE: no message was queued yet
};

// This host's end of an operation between hosts. The submission has the form that devices get: its
// first read is sent, or the received bytes go to its first write.
struct NetworkSubmission {
  const convoy_submission* submission = nullptr;
  std::uint32_t peer = 0;
  bool sends = false;
  std::uint32_t plan = 0;     // which program of the run; the same at both ends
  std::uint32_t channel = 0;  // lanes of different channels do not wait for each other
};

// The traffic with one peer since the engine began.
struct NetworkTraffic {
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t refused = 0;  // pieces of input that were not a message of this run
};

// Runs the network lanes of this host as a device runs its lanes: an operation starts when its
// waits hold, those before it in its lane have started and the lane has room for one more; it
// advances its timeline when it is done, which each lane does in order. Starting a receive tells
// the peer that the target is free (it expects the message); a send is done when the transport no
// longer refers to its memory. All work happens on one thread of the engine, which sleeps while it
// is idle. A transport has at most NetworkLane::kMostStarted operations per lane.
//
// The loss of a peer to which messages are pending is a failure of the engine. (So tasks that have
// finished meet before one of them closes its transports.) On a failure the engine interrupts its
// transports, and from then on advances the timelines of all queued operations, so that lanes
// drain. The first failure is kept. The engine has no time limit for a peer: it waits until the
// transport reports a loss or interrupt() is called.
class NetworkEngine {
 public:
  // Takes over the transports, which must outlive it: no other code calls them while it exists.
  // None of the transports' channels may have been used before.
  explicit NetworkEngine(NetworkOptions options);
  // Interrupts pending messages and waits at most 5 s until the transports have released them.
  ~NetworkEngine();
  NetworkEngine(const NetworkEngine&) = delete;
  NetworkEngine& operator=(const NetworkEngine&) = delete;

  // Queues an operation in the lane of its channel to or from its peer. Returns at once. The
  // submission and all it points to must stay until its timeline has reached its value.
  void submit(const NetworkSubmission& what);
  // Whether the timeline of a submission reached the value within `seconds`. Any thread.
  bool wait(const convoy_wait& point, double seconds);
  // Ends all operations that are queued now or later, with this reason. Any thread.
  void interrupt(const std::string& reason);
  // Error kTimeout, naming peer, step and operation, when the engine has failed. Any thread.
  void require_intact() const;
  NetworkPosition position() const;  // any thread
  std::uint32_t channels() const { return options_.channels; }
  // The traffic per peer. Any thread may call it.
  std::vector<NetworkTraffic> traffic() const;

 private:
  struct Counters {
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> received{0};
    std::atomic<std::uint64_t> refused{0};
  };

  void serve();
  void serve_once();
  void take_incoming();
  NetworkLane& lane_to(const NetworkSubmission& what);
  void start_ready();
  bool has_work() const;
  double longest_sleep(bool awaits_timelines);
  bool gives_up_closing();
  bool find_awaited();
  void sleep();
  void sleep_in_transport(plugin::OpenTransport& transport, double seconds);
  void handle(std::span<const convoy_transport_event> events);
  void end_message(const convoy_transport_event& event);
  void lose(std::uint32_t peer);
  void fail_for(std::uint32_t peer, const std::string& reason);
  void record_failure(const std::string& text);
  void interrupt_transports();
  void drop_unstarted();
  void tell_waiting();

  NetworkOptions options_;
  std::vector<plugin::OpenTransport*> transports_;  // each once
  std::vector<int> descriptors_;                    // of the transports that have one
  plugin::OpenTransport* polled_ = nullptr;         // a transport without a descriptor
  std::vector<Counters> counters_;                  // per peer
  WakeUp wake_up_;
  TimelineWatch watch_;
  bool is_told_ = false;                              // the devices report timelines that advance
  std::atomic<std::uint64_t> position_{CONVOY_NONE};  // step << 32 | operation
  std::atomic<bool> closing_{false};
  std::atomic<bool> failed_{false};

  mutable std::mutex mutex_;  // guards the members up to the next comment
  std::condition_variable advanced_;
  std::uint32_t waiting_ = 0;
  std::vector<NetworkSubmission> incoming_;
  std::string failure_;

  // Used by the engine's thread alone.
  std::vector<NetworkSubmission> taken_;
  std::deque<NetworkLane> lanes_;
  std::map<std::tuple<std::uint32_t, bool, std::uint32_t>, std::size_t> lane_index_;
  std::vector<std::optional<std::string>> lost_;  // per peer: why
  std::array<convoy_transport_event, 64> events_{};
  std::vector<convoy_wait> awaited_;  // the points for which the lanes wait
  bool interrupted_ = false;          // the transports were interrupted
  bool moved_ = false;                // something happened since the last sleep
  bool advanced_any_ = false;         // timelines advanced since waiting operations were notified
  double patience_ = 0;  // how long to sleep before polling timelines that nobody reports
  std::optional<std::chrono::steady_clock::time_point> closing_since_;
  std::thread thread_;
};

}  // namespace convoy::runtime
