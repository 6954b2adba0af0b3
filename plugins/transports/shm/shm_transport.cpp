#include "plugins/transports/shm/shm_transport.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <convoy/open_files.hpp>
#include <system_error>
#include <utility>

#include "plugins/transports/shm/address.hpp"

namespace convoy::shm {
namespace {

// The id of an epoll event: a peer's rank, or one of these.
constexpr std::uint64_t kIntroductions = 1ULL << 32;
constexpr std::uint64_t kBell = kIntroductions + 1;
constexpr double kRetrySeconds = 0.01;
constexpr unsigned kPollsPerHearing = 16;

Descriptor made(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return Descriptor(descriptor);
}

std::uint64_t random_word() {
  std::uint64_t word = 0;
  if (::getrandom(&word, sizeof word, 0) != sizeof word)
    throw std::runtime_error("the system gives no random bytes");
  return word;
}

}  // namespace

void ShmTransport::available(const TransportHost& /*host*/) {
  static_cast<void>(this_machine());
  static_cast<void>(Region());
}

std::unique_ptr<Transport> ShmTransport::open(const TransportHost& host,
                                              const convoy_transport_run& run) {
  const char* const direct = host.option("shm_direct");
  return std::make_unique<ShmTransport>(run, direct != nullptr && std::string(direct) == "true");
}

ShmTransport::ShmTransport(const convoy_transport_run& run, bool direct)
    : run_(without_texts(run)),
      machine_(this_machine()),
      probe_(random_word()),
      direct_(direct && tasks_may_pull() &&
              can_pull(::getpid(), {reinterpret_cast<std::uint64_t>(&probe_), probe_})),
      epoll_(made(::epoll_create1(EPOLL_CLOEXEC), "no epoll descriptor can be made")),
      bell_(made(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "no eventfd can be made")),
      introductions_(run_, {reinterpret_cast<std::uint64_t>(&probe_), probe_}, epoll_.get(),
                     kIntroductions) {
  // Files: a link to each other task, and memory during the introductions.
  require_open_files(std::uint64_t{2} * run_.ranks, "its links to the other tasks");
  watch(epoll_.get(), bell_, kBell, EPOLL_CTL_ADD);
}

void ShmTransport::describe(convoy_transport_description& out) {
  // Bytes stay in the memory of this user's processes.
  out.flags = CONVOY_TRANSPORT_ENCRYPTED | CONVOY_TRANSPORT_DETECTS_DEATH;
  if (direct_) out.flags |= CONVOY_TRANSPORT_REMOTE_WRITE;
  set_text(out.name, "shm");
  set_text(out.detail, direct_ ? "large messages in one copy (process_vm_readv)"
                               : "two copies, through a ring that caches hold");
}

std::string ShmTransport::address() {
  return to_text({machine_, introductions_.socket_name()});
}

void ShmTransport::connect(std::uint32_t peer, std::string_view address) {
  if (peer >= run_.ranks || peer == run_.rank)
    throw std::runtime_error("task " + std::to_string(peer) + " is no peer of task " +
                             std::to_string(run_.rank));
  if (peers_.contains(peer))
    throw std::runtime_error("task " + std::to_string(peer) + " was connected before");
  const Address it = parse_address(address);
  if (it.machine != machine_)
    throw std::invalid_argument("task " + std::to_string(peer) +
                                " is on another machine, in another network namespace or of "
                                "another user (" +
                                it.machine + "; here " + machine_ + ")");
  Peer added{std::make_unique<Pair>(peer, run_.generation, run_.channels, events_),
             now() + run_.join_seconds};
  if (interrupted_)
    added.pair->cancel();
  else if (run_.rank > peer)
    introductions_.dial(peer, it.socket);
  else
    introductions_.await(peer);
  peers_.emplace(peer, std::move(added));
  introductions_due_ = true;
  ring();
}

Pair& ShmTransport::pair_of(const convoy_transfer& transfer) {
  const auto found = peers_.find(transfer.peer);
  if (found == peers_.end())
    throw std::runtime_error("connect was not called for task " + std::to_string(transfer.peer));
  return *found->second.pair;
}

void ShmTransport::expect(const convoy_transfer& transfer) {
  Pair& pair = pair_of(transfer);
  pair.expect(transfer);
  after_call(pair);
}

void ShmTransport::send(const convoy_transfer& transfer) {
  Pair& pair = pair_of(transfer);
  pair.send(transfer);
  after_call(pair);
}

// Moves data at once if possible. The peer does not ring for work that is left here.
void ShmTransport::after_call(Pair& pair) {
  pair.progress();
  if (watched_ && (!events_.empty() || pair.fall_asleep())) ring();
}

// Wakes a caller that waits only for the descriptor.
void ShmTransport::ring() {
  if (!watched_ || std::exchange(rung_, true)) return;
  const std::uint64_t one = 1;
  static_cast<void>(::write(bell_.get(), &one, sizeof one));
}

std::optional<int> ShmTransport::descriptor() {
  watched_ = true;
  leave();
  return epoll_.get();
}

std::uint64_t ShmTransport::poll(std::span<convoy_transport_event> out, double seconds) {
  const double until = now() + seconds;
  // Rings are always checked; events of sockets may wait for some polls.
  if (watched_ || seconds <= 0 || ++polls_ % kPollsPerHearing == 0) hear(0);
  for (;;) {
    for (auto& [rank, peer] : peers_) peer.pair->wake_up();
    work();
    if (!events_.empty() || now() >= until) break;
    if (!fall_asleep()) hear(std::max(next_deadline(until) - now(), 0.0));
  }
  const std::uint64_t count = events_.take(out);
  if (watched_)
    leave();
  else
    for (auto& [rank, peer] : peers_) peer.pair->wake_up();
  return count;
}

// From now on, the caller waits for the descriptor.
void ShmTransport::leave() {
  if (!events_.empty() || fall_asleep()) ring();
}

void ShmTransport::interrupt() {
  if (std::exchange(interrupted_, true)) return;
  for (auto& [rank, peer] : peers_) {
    introductions_.forget(rank);
    if (!peer.pair->lost()) peer.pair->cancel();
  }
  ring();
}

// Runs one round over all peers.
void ShmTransport::work() {
  if (introductions_due_ || introductions_.wants_to_dial()) introduce();
  for (auto& [rank, peer] : peers_) peer.pair->progress();
  lose_late_ones();
}

void ShmTransport::introduce() {
  introductions_due_ = false;
  for (Introduced& it : introductions_.round(events_)) {
    Pair& pair = *peers_.at(it.peer).pair;
    if (it.region == nullptr)
      pair.lose(it.reason, it.text);
    else if (!pair.lost())
      establish(std::move(it));
  }
}

void ShmTransport::establish(Introduced it) {
  const bool pulls = direct_ && can_pull(it.process, it.probe);
  watch(epoll_.get(), it.link, it.peer, EPOLL_CTL_MOD);
  events_.connected(it.peer);
  peers_.at(it.peer).pair->establish(std::move(it.region), std::move(it.link), it.side,
                                     pulls ? it.process : 0);
}

void ShmTransport::lose_late_ones() {
  const double time = now();
  for (auto& [rank, peer] : peers_) {
    if (peer.pair->established() || peer.pair->lost() || time < peer.deadline) continue;
    introductions_.forget(rank);
    peer.pair->lose(CONVOY_REASON_UNREACHED, "no connection" + within(run_.join_seconds));
  }
}

bool ShmTransport::fall_asleep() {
  bool ready = introductions_due_;
  for (auto& [rank, peer] : peers_) ready |= peer.pair->fall_asleep();
  return ready;
}

void ShmTransport::hear(double seconds) {
  std::array<epoll_event, 32> told;
  const int count = ::epoll_wait(epoll_.get(), told.data(), told.size(),
                                 static_cast<int>(std::ceil(seconds * 1000)));
  for (int i = 0; i < count; ++i) {
    const std::uint64_t id = told[static_cast<std::size_t>(i)].data.u64;
    if (id == kBell) {
      std::uint64_t rings = 0;
      static_cast<void>(::read(bell_.get(), &rings, sizeof rings));
      rung_ = false;
    } else if (id == kIntroductions) {
      introductions_due_ = true;
    } else {
      peers_.at(static_cast<std::uint32_t>(id)).pair->hear();
    }
  }
}

double ShmTransport::next_deadline(double until) const {
  if (introductions_.wants_to_dial()) until = std::min(until, now() + kRetrySeconds);
  for (const auto& [rank, peer] : peers_)
    if (!peer.pair->established() && !peer.pair->lost()) until = std::min(until, peer.deadline);
  return until;
}

}  // namespace convoy::shm

CONVOY_TRANSPORT(convoy::shm::ShmTransport, "name=shm", "version=1.0.0",
                 "description=Between the tasks of one machine: shared memory, one copy where the "
                 "system allows it.",
                 "option=shm_direct:bool:true::Copy large messages directly from the other task's "
                 "memory, where the system allows it.");
