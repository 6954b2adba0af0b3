#include "tests/devices/cuda/emulated/collective_room.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace convoy::cuda::emulation {
namespace {

using fake_nccl::Call;

// What goes over a socket before the bytes of a call.
struct Header {
  char name[16];
  std::uint64_t count;
  std::int32_t type;
  std::int32_t reduction;
  std::int32_t root;
  std::int32_t rank;
};

// Who comes in: how many ranks there are in all, and how many come.
struct Greeting {
  std::int32_t size;
  std::int32_t ranks;
};

bool send_all(int socket, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t received = ::recv(socket, at, bytes, 0);
    if (received <= 0) return false;
    at += received;
    bytes -= static_cast<std::size_t>(received);
  }
  return true;
}

// In the abstract namespace: the first byte of the path is zero.
socklen_t address_of(const std::string& name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

// One rank's call with memory of its own.
struct Taken {
  Call call;
  std::int32_t rank = 0;
  std::string sent;
  std::string received;
};

bool take(int socket, int size, Taken& taken) {
  Header header{};
  if (!receive_all(socket, &header, sizeof header)) return false;
  taken.call = {header.name,
                nullptr,
                nullptr,
                header.count,
                static_cast<ncclDataType_t>(header.type),
                static_cast<ncclRedOp_t>(header.reduction),
                header.root};
  taken.rank = header.rank;
  taken.sent.resize(bytes_sent(taken.call, size));
  taken.received.resize(bytes_received(taken.call, size, taken.rank));
  if (!receive_all(socket, taken.sent.data(), taken.sent.size())) return false;
  taken.call.send = taken.sent.data();
  taken.call.receive = taken.received.data();
  return true;
}

}  // namespace

std::size_t bytes_sent(const Call& call, int size) {
  const std::size_t pieces = call.name == "reduce_scatter" ? static_cast<std::size_t>(size) : 1;
  return call.count * pieces * fake_nccl::size_of(call.type);
}

std::size_t bytes_received(const Call& call, int size, int rank) {
  if (call.name == "reduce" && rank != call.root) return 0;
  const std::size_t pieces = call.name == "all_gather" ? static_cast<std::size_t>(size) : 1;
  return call.count * pieces * fake_nccl::size_of(call.type);
}

CollectiveRoom::CollectiveRoom(const std::string& name)
    : door_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  const socklen_t length = address_of(name, address);
  if (::bind(door_, reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      ::listen(door_, 64) != 0)
    throw std::runtime_error("the emulated NCCL has no socket");
  thread_ = std::thread([this] { serve(); });
}

CollectiveRoom::~CollectiveRoom() {
  closing_ = true;
  shut(SHUT_RD);
  for (int i = 0; i < 100 && !closed_; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  shut(SHUT_RDWR);
  thread_.join();
  for (const Guest& guest : guests_) ::close(guest.socket);
  ::close(door_);
}

void CollectiveRoom::shut(int how) {
  const std::lock_guard lock(mutex_);
  for (const Guest& guest : guests_) ::shutdown(guest.socket, how);
}

void CollectiveRoom::serve() {
  if (admit_all())
    while (serve_call()) continue;
  closed_ = true;
}

bool CollectiveRoom::admit_all() {
  Greeting greeting{1, 0};
  for (std::int32_t there = 0; there < greeting.size; there += greeting.ranks) {
    pollfd door{door_, POLLIN, 0};
    while (::poll(&door, 1, 20) <= 0)
      if (closing_) return false;
    Guest guest{::accept4(door_, nullptr, nullptr, SOCK_CLOEXEC), {}};
    if (!receive_all(guest.socket, &greeting, sizeof greeting)) return false;
    guest.ranks.resize(static_cast<std::size_t>(greeting.ranks));
    if (!receive_all(guest.socket, guest.ranks.data(), guest.ranks.size() * sizeof(int)))
      return false;
    const std::lock_guard lock(mutex_);
    guests_.push_back(std::move(guest));
  }
  return std::ranges::all_of(guests_,
                             [](const Guest& guest) { return send_all(guest.socket, "!", 1); });
}

bool CollectiveRoom::serve_call() {
  std::size_t size = 0;
  for (const Guest& guest : guests_) size += guest.ranks.size();
  std::vector<Taken> all(size);
  for (const Guest& guest : guests_)
    for (const int rank : guest.ranks)
      if (!take(guest.socket, static_cast<int>(size), all[static_cast<std::size_t>(rank)]))
        return false;
  std::vector<Call> calls;
  calls.reserve(all.size());
  for (const Taken& it : all) calls.push_back(it.call);
  // Ranks that call different things at a time deadlock in NCCL.
  if (const std::string wrong = fake_nccl::run(calls); !wrong.empty()) {
    std::fprintf(stderr, "NCCL is misused: %s\n", wrong.c_str());
    std::abort();
  }
  for (const Guest& guest : guests_)
    for (const int rank : guest.ranks) {
      const std::string& result = all[static_cast<std::size_t>(rank)].received;
      if (!send_all(guest.socket, result.data(), result.size())) return false;
    }
  return true;
}

RoomVisit::~RoomVisit() {
  if (socket_ >= 0) ::close(socket_);
}

bool RoomVisit::enter(const std::string& name, int size, const std::vector<int>& ranks) {
  {
    const std::lock_guard lock(mutex_);
    if (left_) return false;
    size_ = size;
    ranks_ = ranks;
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  }
  sockaddr_un address{};
  const socklen_t length = address_of(name, address);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), length) != 0) return false;
  const Greeting greeting{size, static_cast<std::int32_t>(ranks.size())};
  char answer = 0;
  return send_all(socket_, &greeting, sizeof greeting) &&
         send_all(socket_, ranks.data(), ranks.size() * sizeof(int)) &&
         receive_all(socket_, &answer, 1);
}

bool RoomVisit::take_part(const std::vector<Call>& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call& call = calls[i];
    Header header{{},
                  call.count,
                  static_cast<std::int32_t>(call.type),
                  static_cast<std::int32_t>(call.reduction),
                  call.root,
                  ranks_[i]};
    call.name.copy(header.name, sizeof header.name - 1);
    if (!send_all(socket_, &header, sizeof header) ||
        !send_all(socket_, call.send, bytes_sent(call, size_)))
      return false;
  }
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (!receive_all(socket_, calls[i].receive, bytes_received(calls[i], size_, ranks_[i])))
      return false;
  return true;
}

void RoomVisit::leave() {
  const std::lock_guard lock(mutex_);
  left_ = true;
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

}  // namespace convoy::cuda::emulation
