// Bytes per second between two processes of this machine over the transport grpc: messages of one
// size, one way or both ways at once, over one to eight channels, in clear text and encrypted.
// Beside it, what plain sockets reach. transport_benchmark compares all transports.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/plugin/library.hpp"
#include "core/plugin/transport_plugin.hpp"

namespace convoy {
namespace {

constexpr std::size_t kUnderWay = 16;  // messages per channel, as far as memory allows
constexpr std::uint64_t kMemory = 128 << 20;

struct Case {
  std::string transport;
  std::uint64_t bytes;
  std::uint32_t channels;
  bool both_ways;
  bool encrypted;
};

std::string certificate_folder() {
  static const std::string folder = [] {
    const auto path = std::filesystem::temp_directory_path() /
                      ("convoy_transport_benchmark." + std::to_string(::getpid()));
    const std::string command =
        "sh " CONVOY_SOURCE_DIR "/share/certificates.sh '" + path.string() + "' >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("no certificates: " + command);
    return path.string();
  }();
  return folder;
}

// One of two processes.
class End {
 public:
  End(const TransportPlugin& plugin, const Case& it, std::uint32_t rank, int socket)
      : case_(it), rank_(rank), socket_(socket), sent_(it.channels), expected_(it.channels) {
    convoy_transport_run run{};
    run.struct_size = sizeof run;
    run.rank = rank;
    run.ranks = 2;
    run.channels = it.channels;
    run.peer_seconds = 10;
    run.join_seconds = 10;
    const std::string folder = it.encrypted ? certificate_folder() : "";
    const std::array<std::string, 3> files = {folder + "/task.crt", folder + "/task.key",
                                              folder + "/authority.crt"};
    if (it.encrypted) {
      run.certificate = files[0].c_str();
      run.private_key = files[1].c_str();
      run.authorities = files[2].c_str();
    }
    transport_ = std::make_unique<OpenTransport>(plugin, run);
    transport_->refuses_to_connect(1 - rank, swap(transport_->address()));
    const std::size_t slots = std::max<std::size_t>(
        1, std::min(kUnderWay, static_cast<std::size_t>(kMemory / it.bytes / it.channels)));
    out_.resize(it.bytes, 1);
    in_.resize(slots * it.channels * it.bytes);
    slots_ = slots;
  }

  // `count` messages per channel, which is what both ends do.
  void exchange(std::uint64_t count) {
    const bool sends = rank_ == 0 || case_.both_ways;
    const bool expects = rank_ == 1 || case_.both_ways;
    std::uint64_t begun = 0;
    while (done_ < count * case_.channels * (sends + expects)) {
      for (; begun < count && done_ + ahead() > begun * case_.channels * (sends + expects); ++begun)
        for (std::uint32_t channel = 0; channel < case_.channels; ++channel) {
          if (expects) queue(false, channel, begun);
          if (sends) queue(true, channel, begun);
        }
      poll();
    }
    done_ = 0;
    swap("through");
  }

 private:
  std::uint64_t ahead() const { return slots_ * case_.channels; }

  std::string swap(const std::string& mine) {
    std::array<char, 1024> theirs{};
    if (::send(socket_, mine.data(), mine.size(), 0) < 0) throw std::runtime_error("no socket");
    const ssize_t bytes = ::recv(socket_, theirs.data(), theirs.size(), 0);
    if (bytes <= 0) throw std::runtime_error("the other end is gone");
    return {theirs.data(), static_cast<std::size_t>(bytes)};
  }

  void queue(bool sends, std::uint32_t channel, std::uint64_t number) {
    convoy_transfer transfer{};
    transfer.struct_size = sizeof transfer;
    transfer.peer = 1 - rank_;
    transfer.channel = channel;
    transfer.sequence = sends ? sent_[channel]++ : expected_[channel]++;
    transfer.bytes = case_.bytes;
    transfer.memory =
        sends ? out_.data()
              : in_.data() + ((number % slots_) * case_.channels + channel) * case_.bytes;
    sends ? transport_->send(transfer) : transport_->expect(transfer);
  }

  void poll() {
    std::array<convoy_transport_event, 64> room;
    for (const convoy_transport_event& event : transport_->poll(room, 5.0)) {
      if (event.kind == CONVOY_EVENT_PEER_LOST) throw std::runtime_error(event.text);
      done_ += event.kind == CONVOY_EVENT_DONE;
    }
  }

  const Case& case_;
  std::uint32_t rank_;
  int socket_;
  std::vector<std::uint64_t> sent_;
  std::vector<std::uint64_t> expected_;
  std::vector<unsigned char> out_;
  std::vector<unsigned char> in_;
  std::size_t slots_ = 1;
  std::uint64_t done_ = 0;
  std::unique_ptr<OpenTransport> transport_;
};

std::array<int, 2> socket_pair() {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    throw std::runtime_error("no pair of sockets");
  return sockets;
}

// Exchanges as many messages as `orders` says, and answers, until that is closed.
[[noreturn]] void serve(const TransportPlugin& plugin, const Case& it, std::uint32_t rank,
                        int between, int orders) {
  try {
    End end(plugin, it, rank, between);
    for (std::uint64_t count = 0; ::recv(orders, &count, sizeof count, 0) == sizeof count;) {
      end.exchange(count);
      static_cast<void>(::send(orders, &count, sizeof count, MSG_NOSIGNAL));
    }
  } catch (const std::exception& error) {
    std::cerr << "end " << rank << ": " << error.what() << std::endl;
  }
  ::_exit(0);
}

// Two processes; this one calls no transport, because what has threads cannot be forked.
class Ends {
 public:
  Ends(const TransportPlugin& plugin, const Case& it) {
    const std::array<int, 2> between = socket_pair();
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      const std::array<int, 2> orders = socket_pair();
      processes_[rank] = ::fork();
      if (processes_[rank] == 0) {
        ::close(orders[0]);
        ::close(between[1 - rank]);
        if (rank == 1) ::close(orders_[0]);
        serve(plugin, it, rank, between[rank], orders[1]);
      }
      ::close(orders[1]);
      orders_[rank] = orders[0];
    }
    for (const int socket : between) ::close(socket);
  }
  ~Ends() {
    for (const int socket : orders_) ::close(socket);
    for (const pid_t process : processes_) ::waitpid(process, nullptr, 0);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  // False when one of them has failed.
  bool exchange(std::uint64_t count) const {
    bool all = true;
    for (const int socket : orders_) all &= ::send(socket, &count, sizeof count, MSG_NOSIGNAL) > 0;
    for (const int socket : orders_) all &= ::recv(socket, &count, sizeof count, 0) > 0;
    return all;
  }

 private:
  std::array<pid_t, 2> processes_{};
  std::array<int, 2> orders_{};
};

// Processor time of the processes that have ended.
double children_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void run_transport(benchmark::State& state, const Case& it) {
  PluginHost plugins;
  const std::string file =
      CONVOY_BINARY_DIR "/lib/convoy/plugins/convoy_transport_" + it.transport + ".so";
  const TransportPlugin plugin(plugins.load_transport(read_plugin(file)), {});
  if (it.encrypted) certificate_folder();
  const std::uint64_t count = std::max<std::uint64_t>(4, (64 << 20) / it.bytes / it.channels);
  const double before = children_seconds();
  {
    const Ends ends(plugin, it);
    bool works = ends.exchange(4);
    for (auto _ : state) works = works && ends.exchange(count);
    if (!works) state.SkipWithError("an end has failed");
  }
  const double bytes = static_cast<double>(state.iterations()) *
                       static_cast<double>(count * it.channels * it.bytes * (it.both_ways ? 2 : 1));
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  // Of both ends; what a machine that does other things cannot distort.
  state.counters["cpu_s_per_GB"] = 1e9 * (children_seconds() - before) / bytes;
}

// Both ends of a TCP connection on loopback.
std::array<int, 2> connected_sockets() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const int dialed = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(listener, generic, bytes) != 0 || ::listen(listener, 1) != 0 ||
      ::getsockname(listener, generic, &bytes) != 0 || ::connect(dialed, generic, bytes) != 0)
    throw std::runtime_error("no connection on loopback");
  const int accepted = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  ::close(listener);
  return {dialed, accepted};
}

// One message at a time and its answer, one byte.
void run_sockets(benchmark::State& state, std::size_t bytes) {
  const std::array<int, 2> sockets = connected_sockets();
  std::vector<char> memory(bytes, 1);
  const pid_t other = ::fork();
  if (other == 0) {
    ::close(sockets[0]);
    while (::recv(sockets[1], memory.data(), bytes, MSG_WAITALL) > 0)
      static_cast<void>(::send(sockets[1], "k", 1, MSG_NOSIGNAL));
    ::_exit(0);
  }
  ::close(sockets[1]);
  char answer = 0;
  for (auto _ : state) {
    if (::send(sockets[0], memory.data(), bytes, MSG_NOSIGNAL) < 0) break;
    if (::recv(sockets[0], &answer, 1, 0) != 1) break;
  }
  ::close(sockets[0]);
  ::waitpid(other, nullptr, 0);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
}

std::string name_of(const Case& it) {
  return it.transport + (it.encrypted ? "_tls" : "") + "/bytes:" + std::to_string(it.bytes) +
         "/channels:" + std::to_string(it.channels) + (it.both_ways ? "/both_ways" : "/one_way");
}

void register_cases() {
  for (const std::uint64_t bytes : {4096ULL, 262144ULL, 16777216ULL}) {
    benchmark::RegisterBenchmark(("sockets/bytes:" + std::to_string(bytes)).c_str(),
                                 [=](benchmark::State& state) { run_sockets(state, bytes); })
        ->UseRealTime();
    for (const bool encrypted : {false, true})
      for (const std::uint32_t channels : {1u, 2u, 4u, 8u})
        for (const bool both_ways : {false, true}) {
          const Case it{"grpc", bytes, channels, both_ways, encrypted};
          benchmark::RegisterBenchmark(name_of(it).c_str(), [=](benchmark::State& state) {
            run_transport(state, it);
          })->UseRealTime();
        }
  }
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
  convoy::register_cases();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
