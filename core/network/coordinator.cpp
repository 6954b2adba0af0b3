#include "core/network/coordinator.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/base/process/interruption.hpp"

namespace convoy::network {
namespace {

// The exit code of the other tasks when a task ends with `code`. An interruption has the same code
// for all.
ExitCode code_for_others(int code) {
  const auto own = static_cast<ExitCode>(code);
  return is_interruption(own) ? own : ExitCode::kTimeout;
}

std::string how_it_ended(const Goodbye& goodbye) {
  if (is_interruption(static_cast<ExitCode>(goodbye.code))) return goodbye.text;
  return fmt::format("it ended with code {}: {}", goodbye.code, goodbye.text);
}

std::int64_t nanoseconds(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

Coordinator::Coordinator(CoordinatorOptions options, Send send, Close close, TimePoint now)
    : options_(std::move(options)),
      send_(std::move(send)),
      close_(std::move(close)),
      join_deadline_(after(now, options_.join_timeout)),
      membership_(options_.name, options_.workers, options_.servers, options_.controller,
                  options_.key),
      liveness_(options_.peer_timeout, [this](int rank) { return membership_.text(rank); }) {
  left_.assign(static_cast<std::size_t>(membership_.size()), false);
  told_.assign(left_.size(), false);
  liveness_.begin(membership_.size(), now);
}

void Coordinator::send_all(const CoordinatorMessage& message) {
  for (int rank = 0; rank < membership_.size(); ++rank)
    if (membership_.taken(rank) && !left_[static_cast<std::size_t>(rank)])
      send_(membership_.connection_of(rank), message);
}

void Coordinator::received(ConnectionId connection, const TaskMessage& message, TimePoint now) {
  if (const Join* request = std::get_if<Join>(&message)) {
    join(connection, *request, now);
    return;
  }
  // There is none for a task that is not part of the run: it is of an older generation or was
  // refused.
  const std::optional<int> rank = membership_.rank_of(connection);
  if (const Heartbeat* beat = std::get_if<Heartbeat>(&message))
    answer(connection, rank, *beat, now);
  if (!rank || phase_ == Phase::kFinished) return;
  liveness_.heard(*rank, now);
  handle(*rank, message, now);
}

void Coordinator::join(ConnectionId connection, const Join& request, TimePoint now) {
  if (phase_ != Phase::kFinished)
    if (const auto refusal = membership_.too_late(request)) return refuse(connection, *refusal);
  if (may_replace(request.name)) {
    early_.push_back({connection, request, now});
    return;
  }
  admit(connection, request, now);
}

// Refuses this task; the others go on.
void Coordinator::refuse(ConnectionId connection, const Refusal& refusal) {
  send_(connection, refusal);
  close_(connection);
}

// Whether a task of this name may be a replacement. The loss of the task that it replaces may not
// be known yet, because a host that is gone closes no connection.
bool Coordinator::may_replace(const TaskName& name) const {
  const bool has_begun = phase_ == Phase::kRunning || returns();
  if (!has_begun || options_.restarts == 0) return false;
  const std::optional<int> rank = membership_.seat_of(name);
  return (phase_ == Phase::kRunning && !causes_.empty()) || (rank && membership_.taken(*rank));
}

void Coordinator::admit(ConnectionId connection, const Join& request, TimePoint now) {
  const std::optional<Refusal> refusal =
      phase_ == Phase::kFinished ? late_refusal() : membership_.admit(connection, request);
  if (refusal) {
    refuse(connection, *refusal);
    // Tasks that contradict each other cannot run, so the others need not wait for the time-out.
    if (phase_ == Phase::kJoining) refuse_all(*refusal);
    if (const auto rank = membership_.seat_of(request.name); rank && refusal_)
      told_[static_cast<std::size_t>(*rank)] = true;
    return;
  }
  std::erase(returning_, connection);
  liveness_.heard(*membership_.rank_of(connection), now);
  if (membership_.complete()) start(now);
}

void Coordinator::start(TimePoint now) {
  if (const auto refusal = membership_.unreachable()) {
    refuse_all(*refusal);
    return;
  }
  phase_ = Phase::kRunning;
  interrupted_ = false;
  liveness_.begin(membership_.size(), now);
  rounds_.begin(options_.workers + options_.servers);
  stops_.begin(membership_.size());
  for (int rank = 0; rank < membership_.size(); ++rank)
    send_(membership_.connection_of(rank), membership_.roster(rank));
  if (options_.controller) stops_.leave(membership_.size() - 1);
}

// The refusal of a task that comes when everything is over.
Refusal Coordinator::late_refusal() const {
  return refusal_.value_or(
      Refusal{ExitCode::kTimeout, "the run has ended; start all its tasks again"});
}

void Coordinator::refuse_all(const Refusal& refusal) {
  phase_ = Phase::kFinished;
  refusal_ = refusal;
  for (int rank = 0; rank < membership_.size(); ++rank)
    told_[static_cast<std::size_t>(rank)] = membership_.taken(rank);
  send_all(refusal);
  for (const ConnectionId connection : std::exchange(returning_, {})) send_(connection, refusal);
  for (const Early& it : std::exchange(early_, {})) refuse(it.connection, refusal);
}

bool Coordinator::refuses_late_tasks() const {
  return refusal_ && std::ranges::find(told_, false) != told_.end();
}

void Coordinator::handle(int rank, const TaskMessage& message, TimePoint now) {
  std::visit(
      Overloaded{[](const Join&) {},
                 [&](const Heartbeat& beat) { liveness_.beat(rank, beat.position, now); },
                 [&](const Contribution& contribution) { contribute(rank, contribution, now); },
                 [&](const Goodbye& goodbye) {
                   liveness_.beat(rank, goodbye.position, now);
                   end_in(CauseKind::kReport, rank, how_it_ended(goodbye), now,
                          code_for_others(goodbye.code));
                 },
                 [&](const Leave&) { leave(rank, now); },
                 [&](const StopRequest& request) { follow(stops_.request(request)); },
                 [&](const StopAnswer& answer) { follow(stops_.answer(rank, answer)); },
                 [&](const Interruption& interruption) { interrupt(rank, interruption); }},
      message);
}

// Answers every heartbeat, also from a task without a seat: the answer shows that the coordinator
// lives.
void Coordinator::answer(ConnectionId connection, std::optional<int> rank, const Heartbeat& beat,
                         TimePoint now) {
  Pulse pulse{beat.sent, nanoseconds(now), 0, {}};
  if (rank == 0 && phase_ == Phase::kRunning) pulse.positions = liveness_.positions();
  pulse.replied = nanoseconds(std::chrono::steady_clock::now());
  send_(connection, pulse);
}

void Coordinator::contribute(int rank, const Contribution& contribution, TimePoint now) {
  // The controller has no plan and does not take part.
  if (phase_ != Phase::kRunning || rank >= options_.workers + options_.servers) return;
  try {
    if (const auto result = rounds_.add(rank, contribution)) send_all(*result);
  } catch (const std::invalid_argument& error) {
    end_in(CauseKind::kReport, rank, error.what(), now);
  }
  for (int other = 0; other < options_.workers + options_.servers; ++other)
    if (left_[static_cast<std::size_t>(other)] && rounds_.waiting_for(other))
      end_in(CauseKind::kReport, other,
             fmt::format("it left before the round '{}'", contribution.round), now);
}

void Coordinator::leave(int rank, TimePoint now) {
  liveness_.forget(rank);
  left_[static_cast<std::size_t>(rank)] = true;
  if (phase_ == Phase::kRunning) {
    follow(stops_.leave(rank));
    const bool brings = rank < options_.workers + options_.servers;
    if (const auto round = brings ? rounds_.waiting_for(rank) : std::nullopt)
      end_in(CauseKind::kReport, rank, fmt::format("it left before the round '{}'", *round), now);
  }
  const auto workers_end = left_.begin() + options_.workers;
  if (std::find(left_.begin(), workers_end, false) == workers_end) send_all(End{});
  if (std::ranges::find(left_, false) == left_.end()) phase_ = Phase::kFinished;
}

// Only the first interruption counts, because users who end a run by hand often interrupt several
// tasks.
void Coordinator::interrupt(int rank, const Interruption& interruption) {
  if (phase_ != Phase::kRunning || std::exchange(interrupted_, true)) return;
  send_all(Interruption{interruption.code, fmt::format("{} was stopped by {}",
                                                       membership_.text(rank), interruption.text)});
}

void Coordinator::follow(StopAgreement::Outcome outcome) {
  while (!std::holds_alternative<std::monostate>(outcome)) {
    if (const auto* proposal = std::get_if<StopProposal>(&outcome)) {
      send_all(*proposal);
      return;
    }
    send_all(std::get<StopAgreed>(outcome));
    outcome = stops_.next();
  }
}

void Coordinator::closed(ConnectionId connection, TimePoint now) {
  std::erase_if(early_, [&](const Early& it) { return it.connection == connection; });
  std::erase(returning_, connection);
  const std::optional<int> rank = membership_.rank_of(connection);
  if (!rank || phase_ == Phase::kFinished || left_[static_cast<std::size_t>(*rank)]) return;
  liveness_.forget(*rank);
  end_in(CauseKind::kClosed, *rank, "its connection closed, so its process has ended", now);
}

void Coordinator::end_in(CauseKind kind, int rank, const std::string& how, TimePoint now,
                         ExitCode code) {
  const std::string where = phase_ == Phase::kJoining ? "before all tasks had joined"
                                                      : to_string(liveness_.position(rank));
  const char* const what = is_interruption(code) ? "was stopped" : "lost";
  causes_.add({kind, rank, now,
               fmt::format("{} {} {}: {}", membership_.text(rank), what, where, how), code});
}

void Coordinator::tick(TimePoint now) {
  if (phase_ == Phase::kFinished) return;
  if (phase_ == Phase::kJoining && now >= join_deadline_) {
    refuse_all({ExitCode::kTimeout,
                fmt::format("after --join_timeout={:g} s these tasks have not joined: {}; joined "
                            "have {}; start the missing ones, or find out why they do not reach {}",
                            options_.join_timeout, membership_.missing_text(),
                            membership_.joined_text(), to_string(options_.name))});
    told_.assign(told_.size(), true);  // tasks that have not come had their time
    return;
  }
  const Liveness::Findings findings = liveness_.look(now);
  for (const int rank : findings.dead) {
    if (!membership_.taken(rank)) continue;
    liveness_.forget(rank);
    end_in(CauseKind::kSilence, rank,
           fmt::format("no heartbeat for {:.1f} s", options_.peer_timeout), now);
  }
  if (phase_ == Phase::kRunning)
    for (const std::string& notice : findings.notices) send_all(Notice{notice});
  if (const auto cause = causes_.decide(now)) declare(*cause, now);
  refuse_twins(now);
}

// A task that still has its seat after a whole time-out lives. One that waits for a seat since then
// is not its replacement.
void Coordinator::refuse_twins(TimePoint now) {
  if (!causes_.empty()) return;
  const auto waits = [&](const Early& it) {
    return seconds_between(it.since, now) <= options_.peer_timeout;
  };
  const auto first_twin = std::stable_partition(early_.begin(), early_.end(), waits);
  const std::vector<Early> twins(first_twin, early_.end());
  early_.erase(first_twin, early_.end());
  for (const Early& it : twins) admit(it.connection, it.request, now);
}

// Stops waiting for the remaining tasks. Tasks that come later find no run.
void Coordinator::give_up_joining(const Cause& cause) {
  refuse_all({cause.code, cause.text});
  told_.assign(told_.size(), true);
  if (cause.rank >= 0) close_(membership_.connection_of(cause.rank));
}

// Frees the seat of a replacement that was lost; the others wait for another one.
void Coordinator::vacate(const Cause& cause, TimePoint now) {
  --options_.restarts;
  join_deadline_ = after(now, options_.join_timeout);
  end_connection(cause);
  membership_.vacate(cause.rank);
  liveness_.watch(cause.rank, now);
  causes_.forget(cause.rank);
  admit_early(now);
}

void Coordinator::end_connection(const Cause& cause) {
  const ConnectionId lost = membership_.connection_of(cause.rank);
  send_(lost, Loss{ExitCode::kTimeout, cause.text});
  close_(lost);
}

void Coordinator::declare(const Cause& cause, TimePoint now) {
  const bool died = cause.kind == CauseKind::kClosed || cause.kind == CauseKind::kSilence;
  if (died && returns() && options_.restarts > 0) return vacate(cause, now);
  if (phase_ == Phase::kJoining) return give_up_joining(cause);
  // A task that has left does not come back.
  const bool complete = std::ranges::none_of(left_, [](bool left) { return left; });
  const bool restart = died && complete && options_.restarts > 0;
  // A task that was only silent may wake up. It takes its seat again if nobody has it by then.
  const bool may_wake = restart && cause.kind == CauseKind::kSilence;
  if (cause.rank >= 0 && !may_wake) end_connection(cause);
  for (int rank = 0; rank < membership_.size(); ++rank) {
    const bool is_gone = rank == cause.rank && !may_wake;
    if (is_gone || left_[static_cast<std::size_t>(rank)]) continue;
    const ConnectionId survivor = membership_.connection_of(rank);
    send_(survivor, Loss{cause.code, cause.text, restart});
    if (restart) returning_.push_back(survivor);
  }
  causes_.clear();
  if (!restart) {
    phase_ = Phase::kFinished;
    return admit_early(now);
  }
  --options_.restarts;
  phase_ = Phase::kJoining;
  join_deadline_ = after(now, options_.join_timeout);
  membership_.begin_generation();
  left_.assign(left_.size(), false);
  liveness_.begin(membership_.size(), now);
  admit_early(now);
}

void Coordinator::admit_early(TimePoint now) {
  for (const Early& it : std::exchange(early_, {})) join(it.connection, it.request, now);
}

}  // namespace convoy::network
