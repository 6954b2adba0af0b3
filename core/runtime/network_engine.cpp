#include "core/runtime/network_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.hpp"
#include "core/plan/operation.hpp"

namespace convoy {
namespace {

// Timelines are looked at in intervals that double while nothing happens.
constexpr double kShortestLook = 50e-6;
constexpr double kLongestLook = 1e-3;
// Without anything queued; losses of peers are heard of as fast.
constexpr double kNothingToDo = 0.05;
constexpr std::chrono::seconds kLongestClose{5};
constexpr std::uint64_t kSequenceBits = 48;

bool holds(const convoy_wait& wait) {
  auto* value = const_cast<std::uint64_t*>(wait.timeline);  // atomic_ref takes no const
  return std::atomic_ref<std::uint64_t>(*value).load(std::memory_order_acquire) >= wait.value;
}

bool is_ready(const convoy_submission& submission) {
  return std::all_of(submission.waits, submission.waits + submission.wait_count, holds);
}

std::uint64_t bytes_of(const convoy_region& region) {
  return region.count * dtype_bytes(region.dtype);
}

const convoy_region& region_of(const convoy_submission& submission, bool sends) {
  return *(sends ? submission.reads : submission.writes);
}

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
  for (OpenTransport* transport : transports_) {
    const std::optional<int> descriptor = transport->descriptor();
    if (descriptor) descriptors_.push_back(*descriptor);
    if (!descriptor) sleeper_ = transport;
  }
  thread_ = std::thread([this] { serve(); });
}

NetworkEngine::~NetworkEngine() {
  closing_.store(true, std::memory_order_release);
  wake_up_.ring();
  thread_.join();
}

void NetworkEngine::submit(const NetworkSubmission& what) {
  CONVOY_CHECK_LT(what.peer, options_.peers.size());
  CONVOY_CHECK(options_.peers[what.peer].transport != nullptr);
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = incoming_.empty();
    incoming_.push_back(what);
  }
  if (first) wake_up_.ring();
}

bool NetworkEngine::wait(const convoy_wait& point, double seconds) {
  if (holds(point)) return true;
  std::unique_lock lock(mutex_);
  ++waiting_;
  const bool reached = advanced_.wait_for(lock, std::chrono::duration<double>(seconds),
                                          [&] { return holds(point); });
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

// A transport that fails, whatever the call, ends the run as the loss of a peer does.
void NetworkEngine::serve() {
  for (;;) {
    try {
      serve_once();
    } catch (const Error& error) {
      record_failure(error.what());
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
    drop_queued();
  } else {
    start_ready();
  }
  tell_waiting();
  const bool moved = std::exchange(moved_, false);
  patience_ = moved ? kShortestLook : std::min(2 * patience_, kLongestLook);
  if (!closing_.load(std::memory_order_acquire) || has_work()) sleep(moved);
}

void NetworkEngine::take_incoming() {
  {
    const std::lock_guard lock(mutex_);
    taken_.swap(incoming_);
  }
  for (const NetworkSubmission& it : taken_) {
    const convoy_submission& submission = *it.submission;
    lane_to(it.peer, it.sends)
        .operations.push_back({&submission,
                               {options_.generation, it.plan, submission.operation,
                                static_cast<std::uint32_t>(submission.step)}});
    moved_ = true;
    if (lost_[it.peer]) fail_for(it.peer, *lost_[it.peer]);
  }
  taken_.clear();
}

NetworkEngine::Lane& NetworkEngine::lane_to(std::uint32_t peer, bool sends) {
  const auto [it, inserted] = lane_index_.try_emplace({peer, sends}, lanes_.size());
  if (inserted) {
    lanes_.emplace_back();
    lanes_.back().peer = peer;
    lanes_.back().sends = sends;
  }
  return lanes_[it->second];
}

void NetworkEngine::start_ready() {
  for (Lane& lane : lanes_)
    while (lane.started < std::min(lane.operations.size(), kMostStarted)) {
      Queued& next = lane.operations[lane.started];
      if (!is_ready(*next.submission)) break;
      ++lane.started;
      moved_ = true;
      start(lane, next);
    }
}

// As several messages where it is larger than one may be.
void NetworkEngine::start(Lane& lane, Queued& operation) {
  const convoy_submission& submission = *operation.submission;
  if (submission.timing != nullptr) submission.timing->start = options_.now();
  position_.store(submission.step << 32 | submission.operation, std::memory_order_relaxed);
  const convoy_region& region = region_of(submission, lane.sends);
  const auto index = static_cast<std::uint64_t>(lane_index_.at({lane.peer, lane.sends}));
  convoy_transfer transfer{};
  transfer.struct_size = sizeof(transfer);
  transfer.peer = lane.peer;
  transfer.tag = operation.tag;
  for (std::uint64_t done = 0, all = bytes_of(region); done < all; done += transfer.bytes) {
    transfer.memory = static_cast<std::byte*>(region.data) + done;
    transfer.bytes = std::min<std::uint64_t>(all - done, CONVOY_MESSAGE_BYTES);
    transfer.sequence = lane.sequence;
    transfer.token = index << kSequenceBits | lane.sequence;
    hand_over(lane, transfer);
    ++lane.sequence;
    ++operation.messages;
  }
}

// What the transport does not take is not with it.
void NetworkEngine::hand_over(Lane& lane, const convoy_transfer& transfer) {
  OpenTransport& transport = *options_.peers[lane.peer].transport;
  try {
    if (lane.sends)
      transport.send(transfer);
    else
      transport.expect(transfer);
  } catch (const Error&) {
    if (lane.operations[lane.started - 1].messages == 0) --lane.started;
    throw;
  }
}

bool NetworkEngine::has_work() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return !lane.operations.empty(); });
}

bool NetworkEngine::looks_for_timelines() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
    return lane.started < std::min(lane.operations.size(), kMostStarted);
  });
}

// A transport without a descriptor sleeps itself: briefly, because submissions do not wake it.
void NetworkEngine::sleep(bool moved) {
  const double seconds = moved ? 0 : looks_for_timelines() ? patience_ : kNothingToDo;
  if (sleeper_ != nullptr && has_work())
    sleep_in_transport(*sleeper_, std::min(seconds, kLongestLook));
  else if (seconds > 0)
    wake_up_.sleep(descriptors_, seconds);
  for (OpenTransport* transport : transports_) sleep_in_transport(*transport, 0);
}

void NetworkEngine::sleep_in_transport(OpenTransport& transport, double seconds) {
  const auto events = transport.poll(events_, seconds);
  if (!events.empty()) handle(events);
}

// What has come counts before the loss of its peer, and that before what it cancelled.
void NetworkEngine::handle(std::span<const convoy_transport_event> events) {
  const auto of_kind = [&](std::uint32_t kind, auto visit) {
    for (const convoy_transport_event& event : events)
      if (event.kind == kind) visit(event);
  };
  of_kind(CONVOY_EVENT_DONE, [this](const auto& event) { end_message(event); });
  of_kind(CONVOY_EVENT_PEER_LOST, [this](const auto& event) { lose(event); });
  of_kind(CONVOY_EVENT_CANCELLED, [this](const auto& event) { end_message(event); });
  of_kind(CONVOY_EVENT_REFUSED, [this](const auto& event) {
    if (event.peer < counters_.size()) counters_[event.peer].refused += event.count;
  });
  moved_ = true;
}

// Messages that are with the transport end as they may; those that it would get later cannot.
void NetworkEngine::lose(const convoy_transport_event& event) {
  if (event.peer >= lost_.size() || lost_[event.peer]) return;
  lost_[event.peer] = event.text;
  const bool needed = std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
    return lane.peer == event.peer && lane.operations.size() > lane.started;
  });
  if (needed) fail_for(event.peer, event.text);
}

void NetworkEngine::end_message(const convoy_transport_event& event) {
  Lane& lane = lanes_.at(event.token >> kSequenceBits);
  CONVOY_CHECK_EQ(event.token & ((std::uint64_t{1} << kSequenceBits) - 1), lane.ended);
  CONVOY_CHECK_LT(std::size_t{0}, lane.started);
  ++lane.ended;
  Queued& front = lane.operations.front();
  if (event.kind == CONVOY_EVENT_CANCELLED)
    fail_for(lane.peer, lost_[lane.peer].value_or("the transport gave the message up"));
  if (--front.messages > 0) return;
  if (!failed_.load(std::memory_order_relaxed)) {
    const std::uint64_t bytes = bytes_of(region_of(*front.submission, lane.sends));
    (lane.sends ? counters_[lane.peer].sent : counters_[lane.peer].received) += bytes;
  }
  --lane.started;
  finish_front(lane);
}

// Nothing of the submission is touched once its timeline shows that it is done.
void NetworkEngine::finish_front(Lane& lane) {
  const convoy_submission& submission = *lane.operations.front().submission;
  if (submission.timing != nullptr) submission.timing->end = options_.now();
  lane.operations.pop_front();
  std::atomic_ref<std::uint64_t>(*submission.timeline)
      .store(submission.value, std::memory_order_release);
  advanced_any_ = true;
  moved_ = true;
}

// The first one that is queued for the peer says where the run was.
void NetworkEngine::fail_for(std::uint32_t peer, const std::string& reason) {
  const std::string& name = options_.peers[peer].name;
  for (const Lane& lane : lanes_) {
    if (lane.peer != peer || lane.operations.empty()) continue;
    const convoy_submission& submission = *lane.operations.front().submission;
    return record_failure(fmt::format("{} is lost at step {}, in operation {} ({} it): {}", name,
                                      submission.step, submission.operation,
                                      lane.sends ? "sending to" : "receiving from", reason));
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
  for (OpenTransport* transport : transports_) transport->interrupt();
}

// What no transport has; what it has ends when it says so.
void NetworkEngine::drop_queued() {
  for (Lane& lane : lanes_)
    while (lane.started == 0 && !lane.operations.empty()) {
      Queued& front = lane.operations.front();
      if (front.submission->timing != nullptr) front.submission->timing->start = options_.now();
      finish_front(lane);
    }
}

void NetworkEngine::tell_waiting() {
  if (!std::exchange(advanced_any_, false)) return;
  const std::lock_guard lock(mutex_);
  if (waiting_ > 0) advanced_.notify_all();
}

}  // namespace convoy
