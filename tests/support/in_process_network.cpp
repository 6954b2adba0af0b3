#include "tests/support/in_process_network.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <convoy/transport.hpp>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

namespace convoy::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kEagerBytes = 65536;

convoy_transport_event event_of(std::uint32_t kind, std::uint32_t peer, std::uint64_t token = 0) {
  convoy_transport_event event{};
  event.kind = kind;
  event.peer = peer;
  event.token = token;
  return event;
}

bool same_message(const convoy_transfer& sent, const convoy_transfer& expected) {
  return std::memcmp(&sent.tag, &expected.tag, sizeof(sent.tag)) == 0 &&
         sent.bytes == expected.bytes && sent.sequence == expected.sequence;
}

}  // namespace

// Where sends and expects meet; a thread delivers them when their time has come.
class Hub {
 public:
  Hub(std::uint32_t ranks, const InProcessOptions& options)
      : options_(options), random_(options.seed), ends_(ranks) {
    for (End& end : ends_) end.descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    thread_ = std::thread([this] { deliver_all(); });
  }
  ~Hub() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
    for (End& end : ends_) close(end.descriptor);
  }

  const InProcessOptions& options() const { return options_; }
  int descriptor(std::uint32_t rank) const { return ends_[rank].descriptor; }

  void connect(std::uint32_t rank, std::uint32_t peer) {
    const std::lock_guard lock(mutex_);
    tell(rank, event_of(CONVOY_EVENT_CONNECTED, peer));
  }

  void add(std::uint32_t rank, const convoy_transfer& transfer, bool sends) {
    const std::lock_guard lock(mutex_);
    End& end = ends_[rank];
    if (end.interrupted || end.lost.contains(transfer.peer))
      return tell(rank, event_of(CONVOY_EVENT_CANCELLED, transfer.peer, transfer.token));
    Stream& stream = sends ? streams_[{rank, transfer.peer, transfer.channel}]
                           : streams_[{transfer.peer, rank, transfer.channel}];
    if (sends)
      send(rank, stream, transfer);
    else
      stream.expected.push_back(transfer);
    changed_.notify_all();
  }

  std::uint64_t poll(std::uint32_t rank, std::span<convoy_transport_event> out, double seconds) {
    std::unique_lock lock(mutex_);
    End& end = ends_[rank];
    end.arrived.wait_for(lock, std::chrono::duration<double>(seconds),
                         [&] { return !end.events.empty(); });
    const std::uint64_t count = std::min(out.size(), end.events.size());
    for (std::uint64_t i = 0; i < count; ++i) {
      out[i] = end.events.front();
      end.events.pop_front();
    }
    std::uint64_t rings = 0;
    if (end.events.empty()) static_cast<void>(!read(end.descriptor, &rings, sizeof(rings)));
    return count;
  }

  void interrupt(std::uint32_t rank) {
    const std::lock_guard lock(mutex_);
    ends_[rank].interrupted = true;
    cancel_of(rank, std::nullopt);
  }

  void lose(std::uint32_t rank, std::uint32_t reason, const std::string& text) {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t other = 0; other < ends_.size(); ++other)
      if (other != rank) lose_peer(other, rank, reason, text);
    if (reason != CONVOY_REASON_CLOSED) return;
    ends_[rank].interrupted = true;
    cancel_of(rank, std::nullopt);
    ends_[rank].events.clear();
  }

  void drop_after(std::uint32_t from, std::uint32_t to, std::uint64_t messages) {
    const std::lock_guard lock(mutex_);
    passes_[{from, to}] = messages;
  }

  void stop(std::uint32_t rank, bool stopped) {
    const std::lock_guard lock(mutex_);
    ends_[rank].stopped = stopped;
    changed_.notify_all();
  }

 private:
  struct Sent {
    convoy_transfer transfer{};
    std::optional<std::vector<std::byte>> copy{};  // of an eager one, whose sender is done with it
  };
  struct Stream {
    std::deque<Sent> sent{};
    std::deque<convoy_transfer> expected{};
    std::optional<Clock::time_point> due{};  // of the first pair
  };
  struct End {
    std::deque<convoy_transport_event> events{};
    std::condition_variable arrived{};
    std::set<std::uint32_t> lost{};
    bool interrupted = false;
    bool stopped = false;
    int descriptor = -1;
  };
  using StreamKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

  void tell(std::uint32_t rank, const convoy_transport_event& event) {
    ends_[rank].events.push_back(event);
    ends_[rank].arrived.notify_all();
    const std::uint64_t one = 1;
    static_cast<void>(!write(ends_[rank].descriptor, &one, sizeof(one)));
  }

  void send(std::uint32_t rank, Stream& stream, const convoy_transfer& transfer) {
    stream.sent.push_back({transfer});
    if (!options_.eager || transfer.bytes > kEagerBytes) return;
    const auto* bytes = static_cast<const std::byte*>(transfer.memory);
    stream.sent.back().copy.emplace(bytes, bytes + transfer.bytes);
    tell(rank, event_of(CONVOY_EVENT_DONE, transfer.peer, transfer.token));
  }

  void lose_peer(std::uint32_t rank, std::uint32_t peer, std::uint32_t reason,
                 const std::string& text) {
    if (!ends_[rank].lost.insert(peer).second) return;
    convoy_transport_event event = event_of(CONVOY_EVENT_PEER_LOST, peer);
    event.reason = reason;
    set_text(event.text, text);
    tell(rank, event);
    cancel_of(rank, peer);
  }

  // All of the task's messages, or those with one peer.
  void cancel_of(std::uint32_t rank, std::optional<std::uint32_t> peer) {
    for (auto& [key, stream] : streams_) {
      const auto& [from, to, channel] = key;
      if (from == rank && (!peer || to == *peer)) {
        for (const Sent& it : stream.sent)
          if (!it.copy) tell(rank, event_of(CONVOY_EVENT_CANCELLED, to, it.transfer.token));
        stream.sent.clear();
        stream.due.reset();
      }
      if (to == rank && (!peer || from == *peer)) {
        for (const convoy_transfer& it : stream.expected)
          tell(rank, event_of(CONVOY_EVENT_CANCELLED, from, it.token));
        stream.expected.clear();
        stream.due.reset();
      }
    }
  }

  bool moves(const StreamKey& key, const Stream& stream) const {
    const auto& [from, to, channel] = key;
    const auto passes = passes_.find({from, to});
    return !stream.sent.empty() && !stream.expected.empty() && !ends_[from].stopped &&
           !ends_[to].stopped && (passes == passes_.end() || passes->second > 0);
  }

  void deliver_all() {
    std::unique_lock lock(mutex_);
    while (!closing_) {
      const auto now = Clock::now();
      auto next = now + std::chrono::milliseconds(100);
      for (auto& [key, stream] : streams_)
        while (moves(key, stream)) {
          if (!stream.due) stream.due = now + delay();
          next = std::min(next, *stream.due);
          if (*stream.due > now) break;
          deliver(key, stream);
        }
      if (next > now) changed_.wait_until(lock, next);
    }
  }

  Clock::duration delay() {
    const double fraction = static_cast<double>(random_() % 1024) / 1024;
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(fraction * options_.longest_delay));
  }

  void deliver(const StreamKey& key, Stream& stream) {
    const auto& [from, to, channel] = key;
    const Sent sent = std::move(stream.sent.front());
    const convoy_transfer expected = stream.expected.front();
    stream.sent.pop_front();
    stream.expected.pop_front();
    stream.due.reset();
    if (const auto passes = passes_.find({from, to}); passes != passes_.end()) --passes->second;
    if (!same_message(sent.transfer, expected)) {
      tell(to, event_of(CONVOY_EVENT_CANCELLED, from, expected.token));
      if (!sent.copy) tell(from, event_of(CONVOY_EVENT_CANCELLED, to, sent.transfer.token));
      lose_peer(to, from, CONVOY_REASON_UNEXPECTED, "a message is another one than expected");
      return lose_peer(from, to, CONVOY_REASON_DIED, "it refused a message");
    }
    const void* bytes = sent.copy ? sent.copy->data() : sent.transfer.memory;
    std::memcpy(expected.memory, bytes, expected.bytes);
    tell(to, event_of(CONVOY_EVENT_DONE, from, expected.token));
    if (!sent.copy) tell(from, event_of(CONVOY_EVENT_DONE, to, sent.transfer.token));
  }

  InProcessOptions options_;
  std::mt19937_64 random_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::vector<End> ends_;
  std::map<StreamKey, Stream> streams_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> passes_;
  bool closing_ = false;
  std::thread thread_;
};

namespace {

// Hubs by the number that a transport is opened with: the ABI carries texts only.
std::mutex hubs_mutex;
std::map<std::string, std::weak_ptr<Hub>> hubs;

class InProcessTransport : public Transport {
 public:
  static std::unique_ptr<Transport> open(const TransportHost& host,
                                         const convoy_transport_run& run) {
    const std::lock_guard lock(hubs_mutex);
    return std::make_unique<InProcessTransport>(hubs.at(host.option("hub")).lock(), run.rank);
  }

  InProcessTransport(std::shared_ptr<Hub> hub, std::uint32_t rank)
      : hub_(std::move(hub)), rank_(rank) {}
  ~InProcessTransport() override { hub_->lose(rank_, CONVOY_REASON_CLOSED, "it has closed"); }

  void describe(convoy_transport_description& out) override { set_text(out.name, "in process"); }
  std::string address() override { return std::to_string(rank_); }
  void connect(uint32_t peer, std::string_view /*address*/) override { hub_->connect(rank_, peer); }
  void expect(const convoy_transfer& transfer) override { hub_->add(rank_, transfer, false); }
  void send(const convoy_transfer& transfer) override { hub_->add(rank_, transfer, true); }
  uint64_t poll(std::span<convoy_transport_event> out, double seconds) override {
    return hub_->poll(rank_, out, seconds);
  }
  void interrupt() override { hub_->interrupt(rank_); }
  std::optional<int> descriptor() override {
    if (!hub_->options().descriptor) return std::nullopt;
    return hub_->descriptor(rank_);
  }

 private:
  std::shared_ptr<Hub> hub_;
  std::uint32_t rank_;
};

}  // namespace

InProcessNetwork::InProcessNetwork(std::uint32_t ranks, const InProcessOptions& options)
    : ranks_(ranks), hub_(std::make_shared<Hub>(ranks, options)) {
  const std::string name = fmt::format("{}", static_cast<const void*>(hub_.get()));
  {
    const std::lock_guard lock(hubs_mutex);
    hubs[name] = hub_;
  }
  Manifest manifest;
  manifest.kind = PluginKind::kTransport;
  manifest.name = "in_process";
  manifest.options.push_back({.name = "hub", .type = OptionType::kString, .default_value = name});
  plugin_ = std::make_unique<TransportPlugin>(
      LoadedPlugin<convoy_transport>{&transport_detail::kTable<InProcessTransport>, manifest,
                                     "built in"},
      OptionValues{});
}

InProcessNetwork::~InProcessNetwork() = default;

std::unique_ptr<OpenTransport> InProcessNetwork::open(std::uint32_t rank) {
  convoy_transport_run run{};
  run.struct_size = sizeof(run);
  run.rank = rank;
  run.channels = 1;
  auto transport = std::make_unique<OpenTransport>(*plugin_, run);
  for (std::uint32_t peer = 0; peer < ranks_; ++peer)
    if (peer != rank) transport->refuses_to_connect(peer, "");
  return transport;
}

void InProcessNetwork::kill(std::uint32_t rank, const std::string& reason) {
  hub_->lose(rank, CONVOY_REASON_DIED, reason);
}

void InProcessNetwork::drop_after(std::uint32_t from, std::uint32_t to, std::uint64_t messages) {
  hub_->drop_after(from, to, messages);
}

void InProcessNetwork::stop(std::uint32_t rank) {
  hub_->stop(rank, true);
}

void InProcessNetwork::go_on(std::uint32_t rank) {
  hub_->stop(rank, false);
}

}  // namespace convoy::testing
