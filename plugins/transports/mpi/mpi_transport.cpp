#include "plugins/transports/mpi/mpi_transport.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <convoy/greeting.hpp>
#include <cstring>
#include <stdexcept>

#include "plugins/transports/mpi/launch.hpp"

namespace convoy::mpi {
namespace {

constexpr std::string_view kPrefix = "convoy-mpi-1 ";
constexpr double kCloseSeconds = 1.0;
// If a peer stops in the middle of a message, MPI keeps referring to its memory, so the job is
// ended.
constexpr double kInterruptSeconds = 0.9;
constexpr int kAbortCode = 6;

}  // namespace

void MpiTransport::available(const TransportHost& /*host*/) {
  if (const std::string reason = why_not_launched(); !reason.empty())
    throw std::runtime_error(reason);
}

std::unique_ptr<Transport> MpiTransport::open(const TransportHost& /*host*/,
                                              const convoy_transport_run& run) {
  start();
  return std::make_unique<MpiTransport>(run);
}

void MpiTransport::exchange(const TransportHost& /*host*/, std::span<const std::byte> mine,
                            double seconds, std::byte* all, std::uint32_t& rank,
                            std::uint32_t& ranks) {
  start();
  const World who = world();
  rank = who.rank;
  ranks = who.ranks;
  if (all != nullptr) gather(mine, seconds, all);
}

MpiTransport::MpiTransport(const convoy_transport_run& run) : run_(without_texts(run)) {}

// Frames that were sent arrive as long as the other processes receive. Nothing else is waited for,
// unless MPI still refers to a span.
MpiTransport::~MpiTransport() {
  const double until = Patience::now() + kCloseSeconds;
  for (auto& [rank, peer] : peers_) {
    if (!peer.pair->lost()) send_frame(peer.pair->to(), kGoodbye, nullptr, 0);
    peer.pair->cancel();
  }
  Patience patience;
  while ((busy() || !outgoing_.empty()) && Patience::now() < until) {
    events_ = TransportEvents();  // nothing asks for them any more
    progress();
    patience.wait(until);
  }
  if (busy()) MPI_Abort(MPI_COMM_WORLD, kAbortCode);
}

void MpiTransport::describe(convoy_transport_description& out) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int bytes = 0;
  MPI_Get_library_version(version, &bytes);
  const std::string text(version, static_cast<std::size_t>(bytes));
  out.flags = CONVOY_TRANSPORT_REMOTE_WRITE;
  set_text(out.name, "mpi");
  set_text(out.detail, text.substr(0, text.find(',')));
}

std::string MpiTransport::address() {
  return std::string(kPrefix) + std::to_string(world().rank);
}

void MpiTransport::connect(std::uint32_t peer, std::string_view address) {
  if (peer >= run_.ranks || peer == run_.rank || peers_.contains(peer))
    throw std::runtime_error("task " + std::to_string(peer) +
                             " cannot be connected, or was before");
  int to = -1;
  const char* const end = address.data() + address.size();
  if (!address.starts_with(kPrefix) ||
      std::from_chars(address.data() + kPrefix.size(), end, to).ptr != end || to < 0 ||
      static_cast<std::uint32_t>(to) >= world().ranks)
    throw std::invalid_argument("this is no address of a process of this MPI job");
  Peer added{std::make_unique<Pair>(peer, to, run_, outgoing_, events_),
             Patience::now() + run_.join_seconds};
  if (busy_until_ > 0) added.pair->cancel();
  peers_.emplace(peer, std::move(added));
  Hello mine;
  introduce(run_, mine);
  send_frame(to, kHello, &mine, sizeof mine);
  if (const auto early = early_.extract(to)) {
    std::array<std::byte, sizeof(Frame) + sizeof(Hello)> memory;
    const Frame frame{.kind = kHello, .payload = sizeof(Hello)};
    std::memcpy(memory.data(), &frame, sizeof frame);
    std::memcpy(memory.data() + sizeof frame, &early.mapped(), sizeof(Hello));
    take(to, memory.size(), memory.data());
  }
}

void MpiTransport::send_frame(int to, FrameKind kind, const void* payload, std::size_t bytes) {
  Parcel parcel(to, outgoing_);
  parcel.add(
      {.kind = kind, .generation = run_.generation, .payload = static_cast<std::uint32_t>(bytes)},
      payload);
  parcel.send();
}

Pair& MpiTransport::pair_of(const convoy_transfer& transfer) {
  const auto found = peers_.find(transfer.peer);
  if (found == peers_.end())
    throw std::runtime_error("connect was not called for task " + std::to_string(transfer.peer));
  return *found->second.pair;
}

void MpiTransport::expect(const convoy_transfer& transfer) {
  pair_of(transfer).expect(transfer);
}

void MpiTransport::send(const convoy_transfer& transfer) {
  pair_of(transfer).send(transfer);
}

std::uint64_t MpiTransport::poll(std::span<convoy_transport_event> out, double seconds) {
  const double until = Patience::now() + seconds;
  Patience patience;
  for (;;) {
    if (progress()) patience.moved();
    lose_late_ones();
    if (busy_until_ > 0 && Patience::now() > busy_until_ && busy())
      MPI_Abort(MPI_COMM_WORLD, kAbortCode);
    if (!events_.empty() || Patience::now() >= until) break;
    patience.wait(until);
  }
  return events_.take(out);
}

void MpiTransport::interrupt() {
  if (busy_until_ > 0) return;
  busy_until_ = Patience::now() + kInterruptSeconds;
  for (auto& [rank, peer] : peers_) {
    if (peer.pair->lost()) continue;
    send_frame(peer.pair->to(), kGoodbye, nullptr, 0);
    peer.pair->cancel();
  }
}

bool MpiTransport::busy() const {
  return std::ranges::any_of(peers_, [](const auto& it) { return it.second.pair->busy(); });
}

// Frames stay with MPI while there are events. After the caller has seen these, it may expect the
// messages of the frames, and their bytes are then copied once and not twice.
bool MpiTransport::progress() {
  bool moved = outgoing_.progress();
  while (events_.empty() &&
         incoming_.next([&](int source, std::size_t bytes, const std::byte* memory) {
           take(source, bytes, memory);
         }))
    moved = true;
  for (auto& [rank, peer] : peers_) moved |= peer.pair->progress();
  return moved;
}

Pair* MpiTransport::pair_with(int source) {
  for (auto& [rank, peer] : peers_)
    if (peer.pair->to() == source) return peer.pair.get();
  return nullptr;
}

void MpiTransport::take(int source, std::size_t bytes, const std::byte* memory) {
  try {
    for (const std::byte* const end = memory + bytes; memory != end;) {
      const auto left = static_cast<std::size_t>(end - memory);
      Frame frame;
      if (left >= sizeof frame) std::memcpy(&frame, memory, sizeof frame);
      if (left < sizeof frame || left - sizeof frame < frame.payload)
        throw RefusedInput(CONVOY_REASON_MALFORMED, "what came is no frame");
      take_frame(source, frame, memory + sizeof frame);
      memory += sizeof frame + frame.payload;
    }
  } catch (const RefusedInput& input) {
    events_.refused(CONVOY_NONE, input);
    if (Pair* const pair = pair_with(source)) pair->lose(input.reason(), input.what());
  }
}

void MpiTransport::take_frame(int source, const Frame& frame, const std::byte* payload) {
  if (frame.kind == kHello) return greeted(source, payload, frame.payload);
  if (frame.generation != run_.generation)
    return events_.refused(
        CONVOY_NONE, RefusedInput(CONVOY_REASON_STALE, "a frame of another generation has come"));
  Pair* const pair = pair_with(source);
  if (pair == nullptr || (!pair->established() && frame.kind != kGoodbye))
    throw RefusedInput(CONVOY_REASON_FOREIGN, "a process sends that has not said who it is");
  pair->take(frame, payload);
}

void MpiTransport::greeted(int source, const std::byte* payload, std::size_t bytes) {
  Hello hello;
  if (bytes != sizeof hello)
    throw RefusedInput(CONVOY_REASON_MALFORMED, "what came is no greeting");
  std::memcpy(&hello, payload, sizeof hello);
  Pair* const pair = pair_with(source);
  if (pair == nullptr) {
    early_[source] = hello;
    return;
  }
  require_same_run(hello, run_);
  const auto known = peers_.find(hello.rank);
  if (known == peers_.end() || known->second.pair.get() != pair)
    throw RefusedInput(CONVOY_REASON_FOREIGN, "a process says that it is another task");
  if (pair->lost() || pair->established()) return;
  pair->establish();
  events_.connected(hello.rank);
}

void MpiTransport::lose_late_ones() {
  for (auto& [rank, peer] : peers_) {
    if (peer.pair->established() || peer.pair->lost() || Patience::now() <= peer.deadline) continue;
    peer.pair->lose(CONVOY_REASON_UNREACHED,
                    "it has not said who it is" + within(run_.join_seconds));
  }
}

}  // namespace convoy::mpi

CONVOY_TRANSPORT(convoy::mpi::MpiTransport, "name=mpi", "version=1.0.0",
                 "description=The fabric of an MPI job, between the processes that mpirun or srun "
                 "has started.");
