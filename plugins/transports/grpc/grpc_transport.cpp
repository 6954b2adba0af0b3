#include "plugins/transports/grpc/grpc_transport.hpp"

#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <convoy/grpc_threads.hpp>
#include <convoy/open_files.hpp>
#include <convoy/threads.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "plugins/transports/grpc/greeting.hpp"

namespace convoy::grpc_transport {
namespace {

constexpr std::uint64_t kOwnFiles = 8;  // for the library's threads and listeners
constexpr double kRedialSeconds = 0.1;
// How long a new stream may take to identify its task.
constexpr double kNamelessSeconds = 5;
// How long gRPC has to release memory after a peer is lost. It releases a write that the peer does
// not read only when the connection ends.
constexpr double kReleaseSeconds = 0.15;
constexpr double kFarewellSeconds = 1;
constexpr double kCloseSeconds = 3;
const std::string kPrefix = "grpc/1 ";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// gRPC shuts down with its last server, and then waits up to ten seconds for one of its pollers if
// a peer has not read what was written. One reference that is never given back keeps it open for
// the life of the process.
void keep_library_open() {
  static const bool kKept = (grpc_init(), true);
  static_cast<void>(kKept);
}

// The control plane opens first and has started gRPC's pollers already.
void require_threads_of_library() {
  constexpr std::uint64_t kRest = 4;
  require_threads(grpc_runners() + kRest, "gRPC");
}

std::string not_reached(const Endpoint& endpoint, double seconds, const std::string& reason) {
  return "no connection to " + to_string(endpoint) + within(seconds) +
         (reason.empty() ? reason : ": " + reason);
}

const char* security_word(bool encrypted) {
  return encrypted ? "tls " : "clear ";
}

std::uint32_t connections_of(const char* option) {
  constexpr std::uint32_t kUsual = 4, kMost = 16;
  if (option == nullptr) return kUsual;
  const std::string_view text(option);
  std::uint32_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count < 1 || count > kMost)
    throw std::invalid_argument("grpc_connections must be 1 to " + std::to_string(kMost) +
                                ", not " + option);
  return count;
}

}  // namespace

std::unique_ptr<Transport> GrpcTransport::open(const TransportHost& host,
                                               const convoy_transport_run& run) {
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  const char* checked = host.option("grpc_checksum");
  return std::make_unique<GrpcTransport>(
      read_settings(run, connections_of(host.option("grpc_connections")),
                    checked != nullptr && std::string(checked) == "true"));
}

GrpcTransport::GrpcTransport(Settings settings)
    : settings_(std::move(settings)), mailbox_(std::make_shared<Mailbox>()) {
  const std::uint64_t pairs = settings_.run.ranks - 1;
  require_open_files(pairs * settings_.connections_per_pair() + kOwnFiles,
                     "its connections to the other tasks");
  require_threads_of_library();
  keep_library_open();
  grpc::ServerBuilder builder;
  builder.AddListeningPort(to_string(settings_.listen), server_credentials(settings_), &port_);
  grpc::ChannelArguments arguments;
  add_arguments(settings_, arguments);
  const grpc_channel_args all = arguments.c_channel_args();
  for (std::size_t i = 0; i < all.num_args; ++i)
    if (all.args[i].type == GRPC_ARG_INTEGER)
      builder.AddChannelArgument(all.args[i].key, all.args[i].value.integer);
  builder.SetMaxReceiveMessageSize(static_cast<int>(kFrameBytes + sizeof(FrameHeader)));
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterCallbackGenericService(this);
  server_ = builder.BuildAndStart();
  if (!server_ || port_ == 0)
    throw std::runtime_error("it cannot listen on " + to_string(settings_.listen) +
                             ": the port is taken, the address is none of this machine's, or the "
                             "certificate does not fit its key");
}

GrpcTransport::~GrpcTransport() {
  const auto told = [this](Lock& lock) {
    bool all = true;
    for (auto& [rank, peer] : peers_) all &= peer.pair->say_goodbye(lock);
    return all && std::ranges::all_of(links_, [](auto& link) { return link.second.ended; });
  };
  wait_until(now() + kFarewellSeconds, told);
  const double begin = now();
  wait_until(begin + kCloseSeconds, [&](Lock& lock) {
    for (auto& [rank, peer] : peers_) peer.pair->cancel();
    for (auto& [stream, link] : links_)
      if (!link.ended) stream->cancel();
    if (now() > begin + kReleaseSeconds)
      for (auto& [rank, peer] : peers_) peer.pair->reset();
    bury(lock);
    return !busy();
  });
  server_->Shutdown(gpr_now(GPR_CLOCK_MONOTONIC));
}

// Whether gRPC still refers to this object or to a span.
bool GrpcTransport::busy() const {
  return !links_.empty() ||
         std::ranges::any_of(peers_, [](auto& peer) { return !peer.second.pair->released_all(); });
}

bool GrpcTransport::wait_until(double deadline, const std::function<bool(Lock&)>& done) {
  Lock lock(mutex_);
  while (true) {
    mailbox_->settle();
    for (const Released& piece : mailbox_->take_released())
      peers_.at(piece.peer).pair->released(piece);
    if (done(lock)) return true;
    const double left = deadline - now();
    if (left <= 0) return false;
    lock.unlock();
    mailbox_->sleep(std::min(left, 0.02));
    lock.lock();
  }
}

void GrpcTransport::describe(convoy_transport_description& out) {
  out.flags = CONVOY_TRANSPORT_DETECTS_DEATH;
  if (settings_.encrypted) out.flags |= CONVOY_TRANSPORT_ENCRYPTED;
  set_text(out.name, "grpc");
  set_text(out.detail, std::string(settings_.encrypted ? "mutual TLS" : "clear text") +
                           (settings_.checked ? " with checksums, " : ", ") +
                           std::to_string(settings_.connections) +
                           " connections per peer and direction, and one for credit");
}

std::string GrpcTransport::address() {
  return kPrefix + security_word(settings_.encrypted) +
         to_string({settings_.advertised_host, static_cast<std::uint32_t>(port_)});
}

GrpcTransport::Peer& GrpcTransport::peer_of(std::uint32_t rank) {
  Peer& peer = peers_[rank];
  if (!peer.pair)
    peer.pair = std::make_unique<Pair>(
        PairSettings{rank, settings_.run.generation, settings_.run.channels, settings_.connections,
                     settings_.run.rank < rank, settings_.checked},
        mailbox_, events_);
  return peer;
}

void GrpcTransport::connect(std::uint32_t rank, std::string_view address) {
  if (rank >= settings_.run.ranks || rank == settings_.run.rank)
    throw std::runtime_error("task " + std::to_string(rank) + " is no peer of task " +
                             std::to_string(settings_.run.rank));
  if (!address.starts_with(kPrefix))
    throw std::runtime_error("the address of task " + std::to_string(rank) + " is none of grpc's");
  std::string text(address.substr(kPrefix.size()));
  const std::string word = security_word(settings_.encrypted);
  if (!text.starts_with(word))
    throw std::invalid_argument("of this task and task " + std::to_string(rank) +
                                " only one has certificates; give them to both or to none");
  const Endpoint endpoint = parse_endpoint(text.substr(word.size()));
  const Lock lock(mutex_);
  Peer& peer = peer_of(rank);
  if (peer.pair->asked())
    throw std::runtime_error("task " + std::to_string(rank) + " was connected before");
  peer.endpoint = endpoint;
  peer.deadline = now() + settings_.run.join_seconds;
  peer.pair->ask();
  if (interrupted_)
    peer.pair->cancel();
  else if (settings_.run.rank > rank)
    for (std::uint32_t i = 0; i < settings_.connections_per_pair(); ++i) dial(rank, i);
  mailbox_->tick(true);
}

Pair& GrpcTransport::pair_of(const convoy_transfer& transfer) {
  const auto found = peers_.find(transfer.peer);
  if (found == peers_.end() || !found->second.pair->asked())
    throw std::runtime_error("connect was not called for task " + std::to_string(transfer.peer));
  return *found->second.pair;
}

void GrpcTransport::send(const convoy_transfer& transfer) {
  Lock lock(mutex_);
  pair_of(transfer).send(transfer, lock);
}

void GrpcTransport::expect(const convoy_transfer& transfer) {
  Lock lock(mutex_);
  pair_of(transfer).expect(transfer, lock);
}

std::uint64_t GrpcTransport::poll(std::span<convoy_transport_event> out, double seconds) {
  const double until = now() + seconds;
  while (true) {
    mailbox_->settle();
    Lock lock(mutex_);
    for (const Released& piece : mailbox_->take_released())
      peers_.at(piece.peer).pair->released(piece);
    look_after(lock);
    const std::uint64_t count = events_.take(out);
    if (!events_.empty()) mailbox_->wake();
    const double left = until - now();
    if (count > 0 || left <= 0) return count;
    lock.unlock();
    mailbox_->sleep(left);
  }
}

void GrpcTransport::interrupt() {
  const Lock lock(mutex_);
  interrupted_ = true;
  const double time = now();
  for (auto& [rank, peer] : peers_) {
    peer.pair->cancel();
    look_after(rank, peer, time);
  }
  mailbox_->tick(true);
  mailbox_->wake();
}

// Handles timed work: new attempts to connect, time-outs, and the release of writes to a peer that
// has stopped reading.
void GrpcTransport::look_after(Lock& lock) {
  const double time = now();
  bool watch = false;
  for (auto& [rank, peer] : peers_) {
    look_after(rank, peer, time);
    const Pair& pair = *peer.pair;
    watch |= pair.lost() ? !pair.released_all() : pair.asked() && !pair.connected();
  }
  for (auto& [stream, link] : links_) {
    if (link.ended || link.greeted || link.dialed) continue;
    watch = true;
    if (time > link.born + kNamelessSeconds) stream->cancel();
  }
  bury(lock);
  mailbox_->tick(watch);
}

void GrpcTransport::look_after(std::uint32_t rank, Peer& peer, double time) {
  if (peer.pair->lost()) {
    if (peer.lost == 0) peer.lost = time;
    if (time > peer.lost + kReleaseSeconds && !peer.pair->released_all()) peer.pair->reset();
    return;
  }
  if (peer.pair->connected() || !peer.pair->asked()) return;
  if (time > peer.deadline) {
    peer.pair->lose(CONVOY_REASON_UNREACHED,
                    not_reached(peer.endpoint, settings_.run.join_seconds, peer.refusal));
    return;
  }
  for (auto attempt = peer.redial.begin(); attempt != peer.redial.end();) {
    if (time < attempt->second) {
      ++attempt;
      continue;
    }
    const std::uint32_t connection = attempt->first;
    attempt = peer.redial.erase(attempt);
    dial(rank, connection);
  }
}

// Whether a thread is in a call of the stream, which must not be destroyed before the call returns.
bool GrpcTransport::is_called(const Link& link) const {
  return std::ranges::any_of(
      peers_, [&](const auto& peer) { return peer.second.pair->calls(*link.stream); });
}

// Destroys streams that have ended, and their connections. This may take some time.
void GrpcTransport::bury(Lock& lock) {
  std::vector<Link> gone;
  for (auto link = links_.begin(); link != links_.end();) {
    const auto next = std::next(link);
    if (link->second.ended && !is_called(link->second))
      gone.push_back(std::move(links_.extract(link).mapped()));
    link = next;
  }
  if (gone.empty()) return;
  lock.unlock();
  gone.clear();
  lock.lock();
}

void GrpcTransport::dial(std::uint32_t rank, std::uint32_t connection) {
  Link link;
  link.channel = make_channel(settings_, peers_.at(rank).endpoint);
  link.stream = grpc_transport::dial(link.channel, *this);
  link.dialed = true;
  link.peer = rank;
  link.connection = connection;
  link.born = now();
  Stream* stream = link.stream.get();
  links_.emplace(stream, std::move(link));
  const Hello mine = make_hello(settings_, connection);
  peers_.at(rank).pair->reserve(connection);
  stream->write(copied(&mine, sizeof mine));
}

grpc::ServerGenericBidiReactor* GrpcTransport::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  if (context->method() != kMethod) return grpc::CallbackGenericService::CreateReactor(context);
  Accepted accepted = accept(*context, *this);
  const Lock lock(mutex_);
  Link link;
  link.stream = std::move(accepted.stream);
  link.stream->local_port = static_cast<std::uint32_t>(port_);
  link.born = now();
  Stream* stream = link.stream.get();
  links_.emplace(stream, std::move(link));
  accepted.start();
  mailbox_->wake();
  return accepted.reactor;
}

void GrpcTransport::read(Stream& stream, const grpc::ByteBuffer& message) {
  Lock lock(mutex_);
  Link& link = links_.at(&stream);
  if (link.greeted) {
    peers_.at(link.peer).pair->read(link.connection, message, lock);
    return;
  }
  try {
    greet(link, message, lock);
  } catch (const RefusedInput& input) {
    refuse(link, input);
  }
}

void GrpcTransport::greet(Link& link, const grpc::ByteBuffer& message, Lock& lock) {
  const Hello theirs = read_hello(message, settings_);
  const auto known = peers_.find(theirs.rank);
  if (link.dialed
          ? theirs.rank != link.peer || theirs.connection != link.connection
          : theirs.rank < settings_.run.rank ||
                (known != peers_.end() && known->second.pair->has_stream(theirs.connection)))
    throw RefusedInput(CONVOY_REASON_FOREIGN, "task " + std::to_string(theirs.rank) +
                                                  " is connected already, or is not the one that "
                                                  "was dialed");
  link.greeted = true;
  link.peer = theirs.rank;
  link.connection = theirs.connection;
  Peer& peer = peer_of(theirs.rank);
  if (link.dialed) {
    link.stream->local_port = theirs.seen_port;
    link.stream->remote_port = peer.endpoint.port;
  } else {
    answer(link, lock);
  }
  peer.pair->attach(theirs.connection, *link.stream, lock);
}

void GrpcTransport::answer(Link& link, Lock& lock) {
  Hello mine = make_hello(settings_, link.connection);
  mine.seen_port = link.stream->remote_port;
  Pair& pair = *peers_.at(link.peer).pair;
  pair.reserve(link.connection);
  lock.unlock();
  link.stream->write(copied(&mine, sizeof mine));
  lock.lock();
}

// The status tells the other end the reason.
void GrpcTransport::refuse(Link& link, const RefusedInput& input) {
  events_.refused(link.dialed ? link.peer : CONVOY_NONE, input);
  mailbox_->wake();
  if (link.dialed) {
    peers_.at(link.peer).pair->lose(input.reason(), input.what());
    link.stream->cancel();
    return;
  }
  const bool stale = input.reason() == CONVOY_REASON_STALE;
  link.stream->finish(
      {stale ? grpc::StatusCode::FAILED_PRECONDITION : grpc::StatusCode::PERMISSION_DENIED,
       input.what()});
}

void GrpcTransport::written(Stream& stream, bool ok) {
  Lock lock(mutex_);
  const Link& link = links_.at(&stream);
  if (link.greeted || link.dialed) peers_.at(link.peer).pair->written(link.connection, ok, lock);
}

void GrpcTransport::ended(Stream& stream, const grpc::Status& status) {
  const Lock lock(mutex_);
  Link& link = links_.at(&stream);
  link.ended = true;
  mailbox_->wake();
  if (!link.greeted && !link.dialed) return;
  Peer& peer = peers_.at(link.peer);
  if (link.greeted)
    peer.pair->ended(link.connection, status.error_message());
  else if (status.error_code() == grpc::StatusCode::PERMISSION_DENIED)
    peer.pair->lose(CONVOY_REASON_FOREIGN, status.error_message());
  else if (status.error_code() == grpc::StatusCode::FAILED_PRECONDITION)
    peer.pair->lose(CONVOY_REASON_STALE, status.error_message());
  else
    redial(peer, link.connection, status.error_message());
}

void GrpcTransport::redial(Peer& peer, std::uint32_t connection, const std::string& refusal) {
  peer.redial[connection] = now() + kRedialSeconds;
  if (!refusal.empty()) peer.refusal = refusal;
}

}  // namespace convoy::grpc_transport

CONVOY_TRANSPORT(
    convoy::grpc_transport::GrpcTransport, "name=grpc", "version=1.0.0",
    "description=Between tasks on any hosts: gRPC over several connections per peer, "
    "with mutual TLS when there are certificates.",
    "option=grpc_connections:int:4::Connections per pair of tasks and direction, 1 to 16.",
    "option=grpc_checksum:bool:false::Send checksums between the tasks of one machine, "
    "too.");
