// How tasks find each other through abstract sockets, and what strangers get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "plugins/transports/shm/address.hpp"
#include "plugins/transports/shm/introductions.hpp"

namespace convoy::shm {
namespace {

convoy_transport_run run_of(std::uint32_t rank, std::uint8_t key = 0) {
  convoy_transport_run run{};
  run.key[5] = key;
  run.rank = rank;
  run.ranks = 2;
  run.channels = 1;
  run.join_seconds = 5;
  return run;
}

struct Task {
  explicit Task(std::uint32_t rank, std::uint8_t key = 0)
      : introductions(run_of(rank, key), {}, epoll.get(), 1) {}
  std::vector<Introduced> round() { return introductions.round(events); }
  std::vector<convoy_transport_event> refused() {
    std::vector<convoy_transport_event> room(8);
    room.resize(events.take(room));
    return room;
  }

  Descriptor epoll{::epoll_create1(0)};
  TransportEvents events;
  Introductions introductions;
};

TEST(Introductions, GiveBothTasksTheSameMemory) {
  Task zero(0);
  Task one(1);
  one.introductions.dial(0, zero.introductions.socket_name());
  EXPECT_TRUE(one.round().empty());
  EXPECT_TRUE(zero.round().empty()) << "connect was not called there yet";
  zero.introductions.await(1);
  const auto at_zero = zero.round();
  const auto at_one = one.round();
  ASSERT_EQ(at_zero.size(), 1u);
  ASSERT_EQ(at_one.size(), 1u);
  at_one[0].region->ring(0)[3] = std::byte{42};
  EXPECT_EQ(at_zero[0].region->ring(0)[3], std::byte{42});
  EXPECT_EQ(at_zero[0].region->ring(0)[3 + kRingBytes], std::byte{42}) << "mapped twice";
  EXPECT_EQ(at_zero[0].side + at_one[0].side, 1u);
}

TEST(Introductions, RefuseAnotherKey) {
  Task zero(0);
  Task one(1, 7);
  zero.introductions.await(1);
  one.introductions.dial(0, zero.introductions.socket_name());
  one.round();
  EXPECT_TRUE(zero.round().empty());
  ASSERT_EQ(zero.refused().size(), 1u);
  const auto at_one = one.round();
  ASSERT_EQ(at_one.size(), 1u);
  EXPECT_EQ(at_one[0].region, nullptr);
  EXPECT_EQ(at_one[0].reason, CONVOY_REASON_FOREIGN);
}

TEST(Introductions, RefuseStrangersAndGoOn) {
  Task zero(0);
  zero.introductions.await(1);
  auto stranger = dial(zero.introductions.socket_name());
  ASSERT_TRUE(stranger);
  ASSERT_EQ(::send(stranger->get(), "GET / HTTP/1.1", 14, MSG_NOSIGNAL), 14);
  zero.round();
  const auto refused = zero.refused();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, CONVOY_REASON_MALFORMED);
  Task one(1);
  one.introductions.dial(0, zero.introductions.socket_name());
  one.round();
  EXPECT_EQ(zero.round().size(), 1u);
}

// A greeting is all right, but what comes with it is no memory of a pair.
TEST(Introductions, RefuseMemoryThatCouldShrink) {
  Task zero(0);
  zero.introductions.await(1);
  auto link = dial(zero.introductions.socket_name());
  ASSERT_TRUE(link);
  Greeting greeting;
  greeting.rank = 1;
  greeting.ranks = 2;
  greeting.channels = 1;
  send_greeting(*link, greeting, 1);
  EXPECT_TRUE(zero.round().empty());
  EXPECT_EQ(zero.refused().size(), 1u);
}

TEST(Introductions, TellWhoIsGone) {
  std::string name;
  {
    const Task zero(0);
    name = zero.introductions.socket_name();
  }
  Task one(1);
  one.introductions.dial(0, name);
  const auto at_one = one.round();
  ASSERT_EQ(at_one.size(), 1u);
  EXPECT_EQ(at_one[0].reason, CONVOY_REASON_UNREACHED);
}

// Listens at the name as another user, says so with a byte, and ends with what the first caller
// shows: 0 for nothing.
[[noreturn]] void listen_as_another_user(const std::string& name, int ready) {
  constexpr uid_t kNobody = 65534;
  if (::setuid(kNobody) != 0) ::_exit(100);
  const Descriptor listener = listen_at(name);
  static_cast<void>(!::write(ready, "l", 1));
  pollfd caller{listener.get(), POLLIN, 0};
  if (::poll(&caller, 1, 20'000) != 1) ::_exit(101);
  const auto link = accept_from(listener);
  if (!link) ::_exit(102);
  pollfd greeting{link->get(), POLLIN, 0};
  if (::poll(&greeting, 1, 20'000) != 1) ::_exit(103);
  std::array<char, sizeof(Greeting)> shown{};
  ::_exit(::recv(link->get(), shown.data(), shown.size(), 0) > 0 ? 1 : 0);
}

// The key is for processes of the same user.
TEST(Introductions, ShowAnotherUserNothing) {
  if (::getuid() != 0) GTEST_SKIP() << "only root can be another user";
  const std::string name = random_socket_name();
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t other = ::fork();
  if (other == 0) listen_as_another_user(name, ready[1]);
  ::close(ready[1]);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  Task one(1);
  one.introductions.dial(0, name);
  const auto at_one = one.round();
  ASSERT_EQ(at_one.size(), 1u);
  EXPECT_EQ(at_one[0].reason, CONVOY_REASON_FOREIGN);
  int status = -1;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : 200, 0) << "the key went to another user";
  ::close(ready[0]);
}

TEST(Address, IsWhatItWasAsText) {
  const Address address{this_machine(), random_socket_name()};
  const Address again = parse_address(to_text(address));
  EXPECT_EQ(again.machine, address.machine);
  EXPECT_EQ(again.socket, address.socket);
  EXPECT_NE(random_socket_name(), random_socket_name());
  for (const char* const text : {"", "convoy-shm-1 ", "convoy-shm-1 here", "grpc 127.0.0.1:5"})
    EXPECT_THROW(parse_address(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace convoy::shm
