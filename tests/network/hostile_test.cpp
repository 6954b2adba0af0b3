// What else may come to the coordinator's port: a run goes on, whatever it is.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

#include "core/network/addresses.hpp"
#include "tests/network/task_process.hpp"

namespace convoy::network::hostile_test {

int connect_to(int port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  EXPECT_EQ(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return descriptor;
}

std::string random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// HTTP/2's first words, and a frame header: length, type, flags, stream.
const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const std::string kSettings("\0\0\0\4\0\0\0\0\0", 9);
const std::string kHugeFrame("\xff\xff\xff\0\0\0\0\0\1", 9);
const std::string kTruncatedHeaders("\0\x10\0\1\4\0\0\0\1short", 14);

TEST(HostileInput, DoesNotDisturbARun) {
  const int port = free_ports(1).front();
  const auto task = [&](int index) {
    return std::vector<std::string>{"workers=2", "servers=0", "port=" + std::to_string(port),
                                    "index=" + std::to_string(index)};
  };
  TaskProcess chief(task(0));
  TaskProcess worker(task(1));
  ASSERT_TRUE(chief.line("step 11"));
  const std::vector<std::string> hostile = {
      "",
      random_bytes(100, 1),
      random_bytes(1 << 16, 2),
      "\x16\x03\x01",
      "GET / HTTP/1.1\r\n\r\n",
      kPreface + random_bytes(5000, 3),
      kPreface + kSettings + kHugeFrame + random_bytes(5000, 4),
      kPreface + kSettings + kTruncatedHeaders};
  std::vector<int> open;
  for (const std::string& bytes : hostile) {
    open.push_back(connect_to(port));
    // The other side may close while these bytes are on their way.
    ::send(open.back(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(chief.line("step"));
    EXPECT_TRUE(worker.line("step"));
  }
  for (const int descriptor : open) ::close(descriptor);
  EXPECT_TRUE(chief.line("step"));
  EXPECT_FALSE(chief.exit_code(0.2));
  EXPECT_FALSE(worker.exit_code(0.2));
}

}  // namespace convoy::network::hostile_test
