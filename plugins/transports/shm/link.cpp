#include "plugins/transports/shm/link.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

namespace convoy::shm {
namespace {

constexpr int kKind = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;

struct SocketName {
  sockaddr_un address{};
  socklen_t bytes = 0;
};

// A name that begins with a zero byte is in no folder.
SocketName abstract_name(const std::string& name) {
  SocketName result;
  result.address.sun_family = AF_UNIX;
  std::memcpy(result.address.sun_path + 1, name.data(), name.size());
  result.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return result;
}

Descriptor make_socket() {
  Descriptor socket(::socket(AF_UNIX, kKind, 0));
  if (!socket) throw std::system_error(errno, std::generic_category(), "no socket can be made");
  return socket;
}

const sockaddr* generic(const SocketName& name) {
  return reinterpret_cast<const sockaddr*>(&name.address);
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor listen_at(const std::string& name) {
  Descriptor socket = make_socket();
  const SocketName at = abstract_name(name);
  if (::bind(socket.get(), generic(at), at.bytes) != 0 || ::listen(socket.get(), 1024) != 0)
    throw std::system_error(errno, std::generic_category(),
                            "the socket @" + name + " cannot listen");
  return socket;
}

std::optional<Descriptor> dial(const std::string& name) {
  Descriptor socket = make_socket();
  const SocketName at = abstract_name(name);
  if (::connect(socket.get(), generic(at), at.bytes) == 0) return socket;
  if (errno == EAGAIN || errno == EINTR) return std::nullopt;
  throw std::system_error(errno, std::generic_category(), "nobody listens at @" + name);
}

std::optional<Descriptor> accept_from(const Descriptor& listener) {
  Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return std::nullopt;  // the caller has gone, or the next poll finds it again
  return socket;
}

pid_t peer_process(const Descriptor& socket) {
  ucred who{};
  socklen_t bytes = sizeof who;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &bytes) != 0 ||
      who.uid != ::getuid())
    throw RefusedInput(CONVOY_REASON_FOREIGN, "the other end is another user's");
  return who.pid;
}

void send_greeting(const Descriptor& socket, const Greeting& greeting, int memory) {
  iovec part{const_cast<Greeting*>(&greeting), sizeof greeting};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (memory >= 0) {
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &memory, sizeof memory);
  }
  // An end that does not get it finds the connection closed.
  static_cast<void>(::sendmsg(socket.get(), &message, MSG_NOSIGNAL));
}

std::optional<std::pair<Greeting, Descriptor>> receive_greeting(const Descriptor& socket) {
  Greeting greeting;
  iovec part{&greeting, sizeof greeting};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  const ssize_t bytes = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  Descriptor memory;
  if (bytes >= 0)
    for (cmsghdr* it = CMSG_FIRSTHDR(&message); it != nullptr; it = CMSG_NXTHDR(&message, it)) {
      if (it->cmsg_type != SCM_RIGHTS || it->cmsg_len != CMSG_LEN(sizeof(int))) continue;
      int number = -1;
      std::memcpy(&number, CMSG_DATA(it), sizeof number);
      memory = Descriptor(number);
    }
  if (bytes <= 0)
    throw RefusedInput(CONVOY_REASON_DIED, "the other end closed before its greeting");
  if (bytes != sizeof greeting ||
      std::memcmp(greeting.magic, Greeting{}.magic, sizeof greeting.magic) != 0)
    throw RefusedInput(CONVOY_REASON_MALFORMED, "what came is no greeting");
  return std::pair(greeting, std::move(memory));
}

void watch(int epoll, const Descriptor& descriptor, std::uint64_t id, int operation) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = id;
  if (::epoll_ctl(epoll, operation, descriptor.get(), &event) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll refuses a descriptor");
}

void ring_bell(const Descriptor& socket) {
  const char byte = 1;
  // A full bell wakes, too. The reader notices a closed one.
  static_cast<void>(::send(socket.get(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
}

bool silence_bell(const Descriptor& socket) {
  std::array<char, 32> bytes;
  std::array<iovec, 32> parts;
  std::array<mmsghdr, 32> rings{};
  for (std::size_t i = 0; i < rings.size(); ++i) {
    parts[i] = {&bytes[i], 1};
    rings[i].msg_hdr.msg_iov = &parts[i];
    rings[i].msg_hdr.msg_iovlen = 1;
  }
  const int count = ::recvmmsg(socket.get(), rings.data(), rings.size(), MSG_DONTWAIT, nullptr);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  return rings[static_cast<std::size_t>(count) - 1].msg_len > 0;
}

}  // namespace convoy::shm
