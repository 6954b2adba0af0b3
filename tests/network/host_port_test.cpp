#include "core/network/host_port.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace convoy::network::host_port_test {

std::string problem_of(const std::string& list) {
  try {
    parse_host_list(list, "--worker_hosts");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(HostPort, ReadsNamesAndAddresses) {
  EXPECT_EQ(parse_host_port("node-1.cluster:50000", "x"), (HostPort{"node-1.cluster", 50000}));
  EXPECT_EQ(parse_host_port("10.0.0.3:1", "x"), (HostPort{"10.0.0.3", 1}));
  EXPECT_EQ(parse_host_port("[::1]:65535", "x"), (HostPort{"::1", 65535}));
  EXPECT_EQ(parse_host_port("[fe80::1%eth0]:7", "x"), (HostPort{"fe80::1%eth0", 7}));
}

TEST(HostPort, WritesWhatItReads) {
  for (const char* text : {"node:50000", "10.0.0.3:1", "[::1]:65535"})
    EXPECT_EQ(to_string(parse_host_port(text, "x")), text);
}

TEST(HostPort, ListsKeepTheirOrder) {
  const auto hosts = parse_host_list("b:1,a:2,[::1]:3", "x");
  ASSERT_EQ(hosts.size(), 3u);
  EXPECT_EQ(hosts[0], (HostPort{"b", 1}));
  EXPECT_EQ(hosts[1], (HostPort{"a", 2}));
  EXPECT_EQ(hosts[2], (HostPort{"::1", 3}));
  EXPECT_TRUE(parse_host_list("", "x").empty());
}

TEST(HostPort, RefusesWhatIsNoAddress) {
  for (const char* text :
       {"node",      "node:", ":5",   "node:0",   "node:65536", "node:5x", "no de:5",
        "::1:50000", "[::1]", "[]:5", "[node]:5", "[1%x]:5",    "[:::]:5", "[::1%]:5",
        "a:1,,b:2",  "a:1,",  "-h:5", ".:5",      ".a:5",       "a..b:5"})
    EXPECT_NE(problem_of(text).find("--worker_hosts"), std::string::npos) << text;
}

TEST(HostPort, RefusesWhatIsTooLongForAName) {
  EXPECT_EQ(problem_of(std::string(253, 'a') + ":5"), "");
  EXPECT_NE(problem_of(std::string(254, 'a') + ":5").find("too long"), std::string::npos);
  EXPECT_EQ(problem_of("localhost.:5"), "") << "a name from the root";
}

TEST(HostPort, MayLackThePortWhereACallerAllowsIt) {
  EXPECT_EQ(parse_host_list("a,fd00::3,b:1,[::1]:2", "--worker_hosts", Ports::kOptional),
            (std::vector<HostPort>{{"a"}, {"fd00::3"}, {"b", 1}, {"::1", 2}}));
}

TEST(HostPort, RefusesAnAddressThatIsThereTwice) {
  EXPECT_NE(problem_of("a:1,b:1,a:1").find("a:1 is there twice"), std::string::npos);
  EXPECT_EQ(problem_of("a:1,a:2"), "");
}

TEST(HostPort, KnowsWhatNoHostWithoutAPortCanBe) {
  for (const char* text : {"node-1.cluster", "10.0.0.3", "::1", "fd00::3", "fe80::1%eth0"})
    EXPECT_NO_THROW(check_host(text, "--x")) << text;
  for (const char* text : {"", " ", "a b", "node:5", "[::1]", "-h", ".a", "a..b", "a,b", "http://a",
                           "fe80::1%", "::g", "\xc3\xbc"}) {
    try {
      check_host(text, "--x");
      ADD_FAILURE() << "'" << text << "' is no host";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      EXPECT_NE(std::string(error.what()).find("without a port"), std::string::npos);
    }
  }
}

}  // namespace convoy::network::host_port_test
