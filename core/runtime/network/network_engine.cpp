#include "core/runtime/network/network_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.hpp"
#include "core/runtime/timeline.hpp"

namespace convoy::runtime {
namespace {

// Timelines that nobody reports are polled; the interval doubles while nothing happens.
constexpr double kShortestLook = 50e-6;
constexpr double kLongestLook = 1e-3;
// Interval at which a transport without a descriptor is polled while something is queued.
constexpr double kBetweenPolls = 200e-6;
// How long the poll of such a transport may wait when something has just moved.
constexpr double kPollSeconds = 50e-6;
// The interval when every event wakes the engine.
constexpr double kNothingToDo = 0.05;
constexpr std::chrono::seconds kLongestClose{5};

}  // namespace

NetworkEngine::NetworkEngine(NetworkOptions options)
    : options_(std::move(options)),
      counters_(options_.peers.size()),
      lost_(options_.peers.size()),
      patience_(kShortestLook) {
  for (const NetworkPeer& peer : options_.peers)
    if (peer.transport != nullptr &&
        std::find(transports_.begin(), transports_.end(), peer.transport) == transports_.end())
      transports_.push_back(peer.transport);
  for (plugin::OpenTransport* transport : transports_) {
    const std::optional<int> descriptor = transport->descriptor();
    if (descriptor) descriptors_.push_back(*descriptor);
    if (!descriptor) polled_ = transport;
  }
  is_told_ = options_.waking != nullptr &&
             options_.waking->listen(
                 [](void* self, const std::uint64_t* timeline, std::uint64_t value) {
                   auto& engine = *static_cast<NetworkEngine*>(self);
                   if (engine.watch_.wants(timeline, value)) engine.wake_up_.ring();
                 },
                 this) == CONVOY_OK;
  thread_ = std::thread([this] { serve(); });
}

NetworkEngine::~NetworkEngine() {
  closing_.store(true, std::memory_order_release);
  wake_up_.ring();
  thread_.join();
  if (is_told_) options_.waking->forget(this);
}

void NetworkEngine::submit(const NetworkSubmission& what) {
  CONVOY_CHECK_LT(what.peer, options_.peers.size());
  CONVOY_CHECK(options_.peers[what.peer].transport != nullptr);
  CONVOY_CHECK_LT(what.channel, options_.channels);
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = incoming_.empty();
    incoming_.push_back(what);
  }
  if (first) wake_up_.ring();
}

bool NetworkEngine::wait(const convoy_wait& point, double seconds) {
  if (plugin::holds(point)) return true;
  std::unique_lock lock(mutex_);
  ++waiting_;
  const bool reached = advanced_.wait_for(lock, std::chrono::duration<double>(seconds),
                                          [&] { return plugin::holds(point); });
  --waiting_;
  return reached;
}

void NetworkEngine::interrupt(const std::string& reason) {
  record_failure(reason);
  wake_up_.ring();
}

void NetworkEngine::require_intact() const {
  if (!failed_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  fail(ExitCode::kTimeout, "{}", failure_);
}

NetworkPosition NetworkEngine::position() const {
  const std::uint64_t both = position_.load(std::memory_order_relaxed);
  return {static_cast<std::uint32_t>(both >> 32), static_cast<std::uint32_t>(both)};
}

std::vector<NetworkTraffic> NetworkEngine::traffic() const {
  std::vector<NetworkTraffic> result;
  for (const Counters& it : counters_) result.push_back({it.sent, it.received, it.refused});
  return result;
}

// A failed call of a transport ends the run, like the loss of a peer.
void NetworkEngine::serve() {
  for (;;) {
    try {
      serve_once();
    } catch (const Error& error) {
      record_failure(error.what());
      wake_up_.sleep({}, kLongestLook);  // the call may fail again and again
    }
    if (closing_.load(std::memory_order_acquire) && gives_up_closing()) return;
  }
}

bool NetworkEngine::gives_up_closing() {
  if (!has_work()) return true;
  record_failure("the network was closed before everything had come");
  const auto now = std::chrono::steady_clock::now();
  if (!closing_since_) closing_since_ = now;
  return now - *closing_since_ > kLongestClose;
}

void NetworkEngine::serve_once() {
  take_incoming();
  if (failed_.load(std::memory_order_acquire)) {
    interrupt_transports();
    drop_unstarted();
  } else {
    start_ready();
  }
  tell_waiting();
  if (!closing_.load(std::memory_order_acquire) || has_work()) sleep();
}

void NetworkEngine::take_incoming() {
  {
    const std::lock_guard lock(mutex_);
    taken_.swap(incoming_);
  }
  for (const NetworkSubmission& it : taken_) {
    const convoy_submission& submission = *it.submission;
    lane_to(it).queue(submission, {options_.generation, it.plan, submission.operation,
                                   static_cast<std::uint32_t>(submission.step)});
    moved_ = true;
    if (lost_[it.peer]) fail_for(it.peer, *lost_[it.peer]);
  }
  taken_.clear();
}

NetworkLane& NetworkEngine::lane_to(const NetworkSubmission& what) {
  const auto [it, inserted] =
      lane_index_.try_emplace({what.peer, what.sends, what.channel}, lanes_.size());
  if (inserted)
    lanes_.emplace_back(
        it->second,
        LaneEnd{what.peer, what.sends, what.channel * options_.streams, options_.streams},
        *options_.peers[what.peer].transport, options_.largest_message, options_.waking);
  return lanes_[it->second];
}

void NetworkEngine::start_ready() {
  for (NetworkLane& lane : lanes_)
    while (const convoy_submission* next = lane.ready()) {
      position_.store(next->step << 32 | next->operation, std::memory_order_relaxed);
      moved_ = true;
      lane.start(options_.now());
    }
}

bool NetworkEngine::has_work() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const NetworkLane& lane) { return !lane.is_empty(); });
}

// Seconds until the next poll of timelines that nobody reports.
double NetworkEngine::longest_sleep(bool awaits_timelines) {
  double seconds = kNothingToDo;
  if (awaits_timelines && !is_told_)
    seconds = std::exchange(patience_, std::min(2 * patience_, kLongestLook));
  if (polled_ != nullptr && has_work()) seconds = std::min(seconds, kBetweenPolls);
  return seconds;
}

// Finds the points for which operations wait. Returns false if an operation may start meanwhile.
bool NetworkEngine::find_awaited() {
  awaited_.clear();
  if (failed_.load(std::memory_order_acquire)) return true;
  for (const NetworkLane& lane : lanes_) {
    if (const convoy_wait* point = lane.awaited())
      awaited_.push_back(*point);
    else if (lane.ready() != nullptr)
      return false;
  }
  return true;
}

// If something has moved, poll again at once.
void NetworkEngine::sleep() {
  const bool moved = std::exchange(moved_, false);
  if (moved) {
    patience_ = kShortestLook;
    for (plugin::OpenTransport* transport : transports_)
      sleep_in_transport(*transport, transport == polled_ ? kPollSeconds : 0);
    return;
  }
  if (!find_awaited()) return;
  if (watch_.begin(awaited_)) wake_up_.sleep(descriptors_, longest_sleep(!awaited_.empty()));
  watch_.end();
  for (plugin::OpenTransport* transport : transports_) sleep_in_transport(*transport, 0);
}

void NetworkEngine::sleep_in_transport(plugin::OpenTransport& transport, double seconds) {
  const auto events = transport.poll(events_, seconds);
  if (!events.empty()) handle(events);
}

// Messages of a stream end in order, done or cancelled. A message that has arrived counts although
// its peer is lost afterwards. The loss is the cause of the cancelled ones, so it is noted first
// and reported last.
void NetworkEngine::handle(std::span<const convoy_transport_event> events) {
  for (const convoy_transport_event& event : events)
    if (event.kind == CONVOY_EVENT_PEER_LOST && event.peer < lost_.size() && !lost_[event.peer])
      lost_[event.peer] = event.text;
  for (const convoy_transport_event& event : events) {
    if (event.kind == CONVOY_EVENT_DONE || event.kind == CONVOY_EVENT_CANCELLED) end_message(event);
    if (event.kind == CONVOY_EVENT_REFUSED && event.peer < counters_.size())
      counters_[event.peer].refused += event.count;
  }
  for (const convoy_transport_event& event : events)
    if (event.kind == CONVOY_EVENT_PEER_LOST && event.peer < lost_.size()) lose(event.peer);
  moved_ = true;
}

// The loss of a peer is a failure only if operations for it have not started. The transport ends
// the messages that it already has.
void NetworkEngine::lose(std::uint32_t peer) {
  const bool needed = std::any_of(lanes_.begin(), lanes_.end(), [&](const NetworkLane& lane) {
    return lane.peer() == peer && lane.has_unstarted();
  });
  if (needed) fail_for(peer, *lost_[peer]);
}

void NetworkEngine::end_message(const convoy_transport_event& event) {
  const std::uint64_t index = NetworkLane::token_lane(event.token);
  if (index >= lanes_.size())
    fail(ExitCode::kFailed,
         "the transport says that message {} has ended, which nobody gave it; convoy check shows "
         "what is wrong with a transport",
         event.token);
  NetworkLane& lane = lanes_[index];
  if (event.kind == CONVOY_EVENT_CANCELLED)
    fail_for(lane.peer(), lost_[lane.peer()].value_or("the transport gave the message up"));
  const std::uint64_t bytes = lane.end_message(event.token, options_.now());
  if (bytes == 0) return;
  advanced_any_ = true;
  if (event.kind == CONVOY_EVENT_DONE)
    (lane.sends() ? counters_[lane.peer()].sent : counters_[lane.peer()].received) += bytes;
}

// The first operation that is queued for the peer shows the position of the run.
void NetworkEngine::fail_for(std::uint32_t peer, const std::string& reason) {
  const std::string& name = options_.peers[peer].name;
  for (const NetworkLane& lane : lanes_) {
    if (lane.peer() != peer || lane.is_empty()) continue;
    const convoy_submission& submission = lane.front();
    return record_failure(fmt::format("{} is lost at step {}, in operation {} ({} it): {}", name,
                                      submission.step, submission.operation,
                                      lane.sends() ? "sending to" : "receiving from", reason));
  }
  record_failure(fmt::format("{} is lost: {}", name, reason));
}

void NetworkEngine::record_failure(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (failed_.load(std::memory_order_relaxed)) return;
  failure_ = text;
  failed_.store(true, std::memory_order_release);
}

void NetworkEngine::interrupt_transports() {
  if (interrupted_) return;
  interrupted_ = true;
  for (plugin::OpenTransport* transport : transports_) transport->interrupt();
}

// Ends operations that no transport has; the others end by the transport's events.
void NetworkEngine::drop_unstarted() {
  for (NetworkLane& lane : lanes_)
    if (lane.drop_unstarted(options_.now())) advanced_any_ = true;
}

void NetworkEngine::tell_waiting() {
  if (!std::exchange(advanced_any_, false)) return;
  const std::lock_guard lock(mutex_);
  if (waiting_ > 0) advanced_.notify_all();
}

}  // namespace convoy::runtime
