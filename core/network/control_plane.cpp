#include "core/network/control_plane.hpp"

#include <algorithm>

#include "core/base/process/interruption.hpp"

namespace convoy::network {
namespace {

constexpr std::chrono::milliseconds kLookSeconds{20};  // how often a wait asks `interrupted`
// Between attempts to connect or to look up a name.
constexpr std::chrono::milliseconds kBetweenAttempts{100};
// The seconds by which a launcher may start some tasks later than others. The coordinator of a
// refused run stays for this time, unless all tasks have come.
constexpr double kLateTasks = 10;
// Heartbeats per peer time-out. One lost packet or a busy moment does not count as silence.
constexpr double kBeatsPerTimeout = 20;
constexpr double kLongestBeat = 0.1;  // seconds

std::int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(steady_now().time_since_epoch())
      .count();
}

std::string coordinator_text(const TaskIdentity& identity, const HostPort& address) {
  return fmt::format("the coordinator ({} at {})",
                     identity.controller ? "the controller" : "worker 0", to_string(address));
}

}  // namespace

ControlPlane::ControlPlane(const ControlOptions& options, const Introduction& introduction)
    : options_(options),
      wire_(options.wire != nullptr ? *options.wire : open_grpc_wire()),
      coordinator_(required_coordinator(options.identity)),
      security_(read_security(options.security)) {
  if (options_.identity.is_coordinator()) start_coordinator();
  heart_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
  try {
    join(make_join(options_, introduction, 0));
  } catch (const Error& error) {
    // The coordinator knows of every other end already.
    if (is_interruption(error.code())) say_goodbye(error.code(), error.what());
    tell_late_tasks(error.what());
    disconnect();
    throw;
  } catch (...) {
    disconnect();
    throw;
  }
}

// Stays to tell late tasks of a refusal. Otherwise they would find no coordinator, wait until the
// time-out, and report the coordinator as the cause.
void ControlPlane::tell_late_tasks(const std::string& why) {
  if (!service_ || !service_->refuses_late_tasks()) return;
  const double seconds = std::min(kLateTasks, options_.join_timeout);
  if (options_.staying)
    options_.staying(
        fmt::format("{}; this task stays for up to {:g} s, so that the tasks that "
                    "have not come yet hear it, too",
                    why, seconds));
  const TimePoint end = after(steady_now(), seconds);
  const auto interrupted = [this] {
    return options_.interrupted && options_.interrupted() != ExitCode::kOk;
  };
  while (service_->refuses_late_tasks() && steady_now() < end && !interrupted())
    std::this_thread::sleep_for(kLookSeconds);
}

ControlPlane::~ControlPlane() {
  disconnect();
}

// Ends the connection, and with it calls of received() and closed(), before the members of this
// object are destroyed.
void ControlPlane::disconnect() {
  heart_ = {};
  Lock lock(mutex_);
  const std::unique_ptr<WireClient> client = std::move(client_);
  leaving_ = true;
  lock.unlock();
}

// The name of a host may not resolve for a while after the host has started, as in Kubernetes.
void ControlPlane::await_own_name() {
  const TimePoint deadline = after(steady_now(), options_.join_timeout);
  Lock lock(mutex_);
  for (std::string unknown; !(unknown = options_.resolution_problem(coordinator_.host)).empty();) {
    if (steady_now() >= deadline)
      fail(ExitCode::kUnavailable,
           "the coordinator cannot listen on {}: {}, and that for --join_timeout={:g} s; name an "
           "address of this machine",
           to_string(coordinator_), unknown, options_.join_timeout);
    const TimePoint again = steady_now() + kBetweenAttempts;
    wait(lock, fmt::format("the name {} to mean something", coordinator_.host),
         [&] { return steady_now() >= again; });
  }
}

void ControlPlane::start_coordinator() {
  await_own_name();
  const std::string unknown = require_safe_network(coordinator_, options_.security);
  if (!unknown.empty())
    fail(ExitCode::kUnavailable, "the coordinator cannot listen on {}: {}", to_string(coordinator_),
         unknown);
  service_ = std::make_unique<CoordinatorService>(wire_, coordinator_, security_,
                                                  coordinator_options(options_));
}

void ControlPlane::join(const Join& first) {
  const TimePoint deadline = after(steady_now(), options_.join_timeout);
  Lock lock(mutex_);
  Join request = first;
  std::string reason = "no answer";
  while (!heard_) {
    connect_once(lock, request);
    wait(lock, "the coordinator", [&] { return heard_ || closed_ || steady_now() >= deadline; });
    if (heard_) break;
    reason = closed_.value_or(reason);  // the last attempt may have ended before it had a reason
    const ConnectionFailure failure = explain_failure(reason, security_.encrypted());
    if (failure.is_final || steady_now() >= deadline) fail_to_reach(failure);
    const TimePoint again = steady_now() + kBetweenAttempts;
    wait(lock, "the coordinator", [&] { return steady_now() >= again; });
  }
  await_roster(lock);
}

// The end of a connection waits for calls of received() and closed(), which take the mutex. Names
// are looked up without it, too: that may take long.
void ControlPlane::connect_once(Lock& lock, Join& request) {
  std::unique_ptr<WireClient> client = std::move(client_);
  lock.unlock();
  client.reset();
  const std::string unknown = require_safe_network(coordinator_, options_.security);
  // The name may not have resolved before; once it does, the address towards the coordinator is
  // known.
  if (request.address.empty()) find_address(options_, request);
  lock.lock();
  closed_.reset();
  if (!unknown.empty()) {
    closed_ = unknown;
    return;
  }
  lock.unlock();
  client = wire_.connect(coordinator_, security_, *this);
  client->send(request);
  lock.lock();
  client_ = std::move(client);
  last_heard_ = steady_now();
}

void ControlPlane::fail_to_reach(const ConnectionFailure& failure) const {
  fail(failure.is_final ? ExitCode::kUnavailable : ExitCode::kTimeout,
       "{} cannot reach {}{}: {}; {}",
       to_string(this_task(options_.identity.role, options_.identity.index)),
       coordinator_text(options_.identity, coordinator_),
       failure.is_final ? "" : fmt::format(" within --join_timeout={:g} s", options_.join_timeout),
       failure.cause, failure.action);
}

void ControlPlane::await_roster(Lock& lock) {
  wait(lock, "the other tasks", [&] { return roster_.has_value(); });
}

std::optional<AgreedStop> ControlPlane::agreed_stop() const {
  const std::lock_guard lock(mutex_);
  check_locked();
  return stops_.agreed();
}

void ControlPlane::rejoin(const Introduction& introduction) {
  // This looks names up, so it comes before the mutex is locked, which heartbeats need.
  const Join request = make_join(options_, introduction, roster().generation + 1);
  Lock lock(mutex_);
  CONVOY_CHECK(loss_ && loss_->restart && roster_);
  loss_.reset();
  roster_.reset();
  results_.clear();
  positions_.clear();
  stops_.begin();
  interruption_.reset();
  asked_to_end_ = false;
  step_ = 0;
  operation_ = -1;
  // An earlier loss hid the loss of the coordinator.
  if (closed_ && !refusal_) fail_without_connection();
  send_locked(request);
  await_roster(lock);
}

void ControlPlane::wait(Lock& lock, const std::string& what, const std::function<bool()>& done) {
  while (true) {
    check_locked();
    if (done()) return;
    const ExitCode interrupted = options_.interrupted ? options_.interrupted() : ExitCode::kOk;
    if (interrupted != ExitCode::kOk) fail(interrupted, "interrupted while waiting for {}", what);
    changed_.wait_for(lock, kLookSeconds);
  }
}

void ControlPlane::check_locked() const {
  if (refusal_) throw Error(refusal_->code, refusal_->text);
  if (loss_) throw PeerLost(*loss_);
}

void ControlPlane::check() const {
  const std::lock_guard lock(mutex_);
  check_locked();
}

void ControlPlane::send_locked(const TaskMessage& message) {
  if (client_) client_->send(message);
}

void ControlPlane::received(CoordinatorMessage message) {
  const std::lock_guard lock(mutex_);
  heard_ = true;
  last_heard_ = steady_now();
  std::visit(
      Overloaded{[&](const Roster& roster) { roster_ = roster; },
                 [&](const Refusal& refusal) { refusal_ = refusal; },
                 [&](const Pulse& pulse) { take(pulse); },
                 [&](RoundResult& result) { results_[result.round] = std::move(result.blobs); },
                 [&](const StopProposal& proposal) { send_locked(stops_.consider(proposal)); },
                 [&](const StopAgreed& agreed) { stops_.agree(agreed); },
                 [&](const Interruption& interruption) { interruption_ = interruption; },
                 [&](const Notice& notice) {
                   if (options_.notice) options_.notice(notice.text);
                 },
                 [&](const Loss& loss) { fail_locked(loss); }, [&](const End&) { ended_ = true; }},
      message);
  changed_.notify_all();
}

void ControlPlane::take(const Pulse& pulse) {
  offset_.add(pulse.sent, pulse.received, pulse.replied, nanoseconds_now());
  if (!pulse.positions.empty()) positions_ = pulse.positions;
}

// Only the first loss counts, because later ones may follow from it.
void ControlPlane::fail_locked(const Loss& loss) {
  if (loss_ || leaving_) return;
  loss_ = loss;
  if (options_.failed) options_.failed();
}

void ControlPlane::fail_without_connection() {
  fail_locked({ExitCode::kTimeout,
               fmt::format("{} lost: its connection closed, so its process has ended{}",
                           coordinator_text(options_.identity, coordinator_), own_position())});
}

void ControlPlane::closed(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  closed_ = reason;
  if (heard_ && !refusal_) fail_without_connection();
  changed_.notify_all();
}

Position ControlPlane::position() const {
  Position position{step_, operation_, ""};
  if (position.operation >= 0 && options_.operation_text)
    position.operation_text = options_.operation_text(position.operation);
  return position;
}

// The position of this task. Nothing is known about how far the coordinator itself had come.
std::string ControlPlane::own_position() const {
  return step_ > 0 ? fmt::format("; this task was {}", to_string(position())) : "";
}

void ControlPlane::beat(const std::stop_token& stop) {
  const std::chrono::duration<double> interval(
      std::min(kLongestBeat, options_.peer_timeout / kBeatsPerTimeout));
  Lock lock(mutex_);
  last_beat_ = steady_now();
  std::condition_variable_any sleep;
  while (!stop.stop_requested()) {
    if (client_ && !closed_) {
      if (heard_) look_after_coordinator(steady_now());
      send_locked(Heartbeat{position(), nanoseconds_now()});
    }
    last_beat_ = steady_now();
    sleep.wait_for(lock, stop, interval, [] { return false; });
  }
}

// A pause of this process itself does not count as silence of the coordinator.
void ControlPlane::look_after_coordinator(TimePoint time) {
  const double pause = seconds_between(last_beat_, time);
  if (pause > options_.peer_timeout / 4) last_heard_ = std::min(time, after(last_heard_, pause));
  if (seconds_between(last_heard_, time) < options_.peer_timeout) return;
  fail_locked({ExitCode::kTimeout, fmt::format("{} lost: no answer for {:.1f} s{}",
                                               coordinator_text(options_.identity, coordinator_),
                                               options_.peer_timeout, own_position())});
  changed_.notify_all();
}

Roster ControlPlane::roster() const {
  const std::lock_guard lock(mutex_);
  CONVOY_CHECK(roster_.has_value());
  return *roster_;
}

std::vector<Position> ControlPlane::positions() const {
  const std::lock_guard lock(mutex_);
  return positions_;
}

ClockOffset ControlPlane::clock_offset() {
  ClockOffset same;
  same.add(0, 0, 0, 0);
  if (service_) return same;
  Lock lock(mutex_);
  wait(lock, "the coordinator's clock", [&] { return offset_.known(); });
  return offset_;
}

void ControlPlane::begin_exchange(const std::string& round, std::string blob) {
  if (blob.size() > kMostBlobBytes)
    fail(ExitCode::kFailed, "the round '{}' would carry {} bytes; {} is the most", round,
         blob.size(), kMostBlobBytes);
  const std::lock_guard lock(mutex_);
  check_locked();
  send_locked(Contribution{round, std::move(blob)});
}

std::optional<std::vector<std::string>> ControlPlane::exchanged(const std::string& round) {
  const std::lock_guard lock(mutex_);
  check_locked();
  if (!results_.contains(round)) return std::nullopt;
  return std::move(results_.extract(round).mapped());
}

std::vector<std::string> ControlPlane::exchange(const std::string& round, std::string blob) {
  begin_exchange(round, std::move(blob));
  Lock lock(mutex_);
  wait(lock, fmt::format("all tasks to meet in '{}'", round),
       [&] { return results_.contains(round); });
  return std::move(results_.extract(round).mapped());
}

std::string ControlPlane::broadcast(const std::string& round, std::string blob) {
  const bool chief = options_.identity.is_chief();
  return exchange(round, chief ? std::move(blob) : std::string()).front();
}

void ControlPlane::set_position(std::int64_t step, std::int64_t operation) {
  step_ = step;
  operation_ = operation;
}

void ControlPlane::request_stop(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  send_locked(StopRequest{reason});
}

void ControlPlane::finish_stop(std::int64_t stop) {
  const std::lock_guard lock(mutex_);
  stops_.finish(stop);
}

void ControlPlane::interrupt_all(ExitCode code, const std::string& by) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(asked_to_end_, true)) send_locked(Interruption{code, by});
}

std::optional<Interruption> ControlPlane::interruption() const {
  const std::lock_guard lock(mutex_);
  return interruption_;
}

void ControlPlane::wait_for_end(const std::function<void()>& while_waiting) {
  Lock lock(mutex_);
  wait(lock, "the end of the run", [&] {
    lock.unlock();
    while_waiting();
    lock.lock();
    return ended_;
  });
}

void ControlPlane::leave() {
  Lock lock(mutex_);
  check_locked();
  send_locked(Leave{});
  if (service_) wait(lock, "the other tasks to end", [&] { return service_->finished(); });
  leaving_ = true;
}

void ControlPlane::say_goodbye(ExitCode code, const std::string& text) {
  const std::lock_guard lock(mutex_);
  leaving_ = true;
  send_locked(Goodbye{static_cast<int>(code), text, position()});
}

}  // namespace convoy::network
