// Clocks, addresses, what a task joins with, and certificates' flags.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <vector>

#include "core/base/error.hpp"
#include "core/network/addresses.hpp"
#include "core/network/clock_offset.hpp"
#include "core/network/connection_failure.hpp"
#include "core/network/control_options.hpp"
#include "core/network/security.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::network::small_parts_test {

TEST(ClockOffset, IsRightWithinItsError) {
  constexpr std::int64_t kAhead = 1'000'000;
  ClockOffset clock;
  std::int64_t time = 0;
  // The way there takes longer than the way back, by other amounts each time.
  for (const std::int64_t there : {90'000, 40'000, 700'000}) {
    const std::int64_t received = time + there + kAhead;
    clock.add(time, received, received + 500, time + there + 500 + 10'000);
    EXPECT_LE(std::abs(clock.offset() - kAhead), clock.error());
    time += 1'000'000;
  }
  EXPECT_EQ(clock.error(), 50'000 / 2 + 1) << "the shortest round trip counts";
}

TEST(Addresses, KnowLoopback) {
  for (const char* host : {"127.0.0.1", "127.8.9.1", "::1", "localhost", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"10.0.0.1", "0.0.0.0", "fe80::1", "name.invalid"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(Addresses, KnowLoopbackThatIsWrittenAsSuch) {
  for (const char* host : {"127.0.0.1", "127.0.1.1", "::1", "localhost"})
    EXPECT_TRUE(is_written_loopback(host)) << host;
  for (const char* host : {"10.0.0.1", "name.invalid", "debian", ""})
    EXPECT_FALSE(is_written_loopback(host)) << host;
}

TEST(Addresses, SayWhatANameMeans) {
  EXPECT_EQ(resolution_problem("127.0.0.1"), "");
  EXPECT_NE(resolution_problem("name.invalid"), "");
  EXPECT_EQ(local_address_towards({"127.0.0.1", 1}), "127.0.0.1");
  EXPECT_EQ(local_address_towards({"name.invalid", 1}), "");
  EXPECT_EQ(machine_id(), machine_id());
  EXPECT_GE(machine_id().size(), 16u);
}

TEST(Addresses, SayWhyNobodyCanListen) {
  EXPECT_EQ(listening_problem({"127.0.0.1", 0}), "");
  EXPECT_NE(listening_problem({"192.0.2.1", 0}), "") << "no address of this machine (RFC 5737)";
}

// A connection that somebody opens before the port is used may take it from the kernel's range.
TEST(Addresses, OfFreePortsAreNoneThatAConnectionMayTake) {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  int first = 0, last = 0;
  if (!(file >> first >> last) || (first < 15000 && last > 61000))
    GTEST_SKIP() << "the kernel leaves few ports, or does not tell which";
  const std::vector<int> ports = free_ports(500);
  EXPECT_EQ(std::set(ports.begin(), ports.end()).size(), 500u);
  for (const int port : ports) {
    EXPECT_TRUE(port < first || port > last) << port;
    EXPECT_EQ(listening_problem({"127.0.0.1", port}), "") << port;
  }
}

TEST(MakeJoin, SaysByWhichAddressOthersReachTheTask) {
  const auto join_by = [](const std::string& host, const std::string& advertised) {
    ControlOptions options;
    options.identity.workers = 2;
    options.identity.index = 1;
    options.identity.coordinator = HostPort{"127.0.0.1", 1};
    options.identity.worker_hosts = {*options.identity.coordinator, HostPort{host, 2}};
    options.advertise_address = advertised;
    return make_join(options, {}, 0);
  };
  EXPECT_EQ(join_by("127.0.0.1", "").address, "127.0.0.1");
  EXPECT_TRUE(join_by("127.0.0.1", "").loopback);
  EXPECT_EQ(join_by("10.0.0.1", "").address, "10.0.0.1");
  EXPECT_FALSE(join_by("10.0.0.1", "").loopback);
  EXPECT_EQ(join_by("127.0.0.1", "10.0.0.1").address, "10.0.0.1");
  EXPECT_FALSE(join_by("127.0.0.1", "10.0.0.1").loopback);
  EXPECT_TRUE(join_by("10.0.0.1", "127.0.0.1").loopback);
  EXPECT_FALSE(join_by("10.0.0.1", "name.invalid").loopback);
}

TEST(Security, RefusesClearTextBeyondLoopback) {
  EXPECT_EQ(require_safe_network({"127.0.0.1", 1}, {}), "");
  EXPECT_THROW(require_safe_network({"192.0.2.1", 1}, {}), Error);
  EXPECT_EQ(require_safe_network({"192.0.2.1", 1}, {"c", "k", "a", false}), "");
  EXPECT_EQ(require_safe_network({"192.0.2.1", 1}, {"", "", "", true}), "");
}

TEST(Security, DoesNotKnowWhereANameThatMeansNothingLeads) {
  EXPECT_EQ(require_safe_network({"name.invalid", 1}, {}), resolution_problem("name.invalid"));
  EXPECT_EQ(require_safe_network({"name.invalid", 1}, {"", "", "", true}), "");
}

TEST(ConnectionFailure, SaysWhatIsWrongWithCertificates) {
  const std::string handshake =
      "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:51740: Ssl "
      "handshake "
      "failed: SSL_ERROR_SSL: error:";
  const ConnectionFailure foreign = explain_failure(
      handshake + "0A000086:SSL routines::certificate verify failed", /*encrypted=*/true);
  EXPECT_TRUE(foreign.is_final);
  EXPECT_NE(foreign.cause.find("none of --certificate_authority's"), std::string::npos);
  const ConnectionFailure clear =
      explain_failure(handshake + "0A00010B:SSL routines::wrong version number", true);
  EXPECT_TRUE(clear.is_final);
  EXPECT_NE(clear.cause.find("there is none there"), std::string::npos);
  const std::string closed = "last error: UNAVAILABLE: ipv4:127.0.0.1:51750: Socket closed";
  EXPECT_FALSE(explain_failure(closed, true).is_final) << "the other task may be about to end";
  EXPECT_NE(explain_failure(closed, true).cause.find("expired"), std::string::npos);
  EXPECT_NE(explain_failure(closed, false).cause.find("this task has none"), std::string::npos);
  EXPECT_NE(explain_failure(closed, false).action.find("certificates"), std::string::npos);
  const ConnectionFailure nobody = explain_failure("Connection refused", true);
  EXPECT_FALSE(nobody.is_final);
  EXPECT_EQ(nobody.cause, "Connection refused");
  EXPECT_EQ(nobody.action.find("certificates"), std::string::npos);
}

TEST(Security, NeedsAllThreeFiles) {
  const std::string folder = scratch_folder("security");
  std::ofstream(folder + "/pem") << "-----BEGIN CERTIFICATE-----\n";
  std::ofstream(folder + "/text") << "no certificate\n";
  const std::string pem = folder + "/pem";
  EXPECT_FALSE(read_security({}).encrypted());
  EXPECT_TRUE(read_security({pem, pem, pem, false}).encrypted());
  EXPECT_THROW(read_security({pem, "", "", false}), Error);
  EXPECT_THROW(read_security({pem, pem, folder + "/text", false}), Error);
  EXPECT_THROW(read_security({pem, pem, folder + "/missing", false}), Error);
}

}  // namespace convoy::network::small_parts_test
