// Runs on several hosts in a network of namespaces that fails: share/test.sh faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "tests/end_to_end/host_tasks.hpp"
#include "tests/end_to_end/network_namespaces.hpp"

namespace convoy::fault_networks_test {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr double kEnded = 15;  // seconds

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Two workers on two hosts of a network of their own, in clear text.
class FailingNetwork : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = NetworkNamespaces::why_not();
    if (!reason.empty()) GTEST_SKIP() << "no network namespaces: " << reason;
    network_ = std::make_unique<NetworkNamespaces>(2);
  }

  void start(const std::vector<std::string>& hosts, const Arguments& more = {}) {
    for (const std::size_t index : {0u, 1u}) start_one(index, hosts, more);
  }
  void start_one(std::size_t index, const std::vector<std::string>& hosts,
                 const Arguments& more = {}) {
    workers_[index] = std::make_unique<RunningProgram>(
        Arguments{"run", "--worker_hosts=" + hosts[0] + ":5000," + hosts[1] + ":5000",
                  "--job_name=worker", "--task_index=" + std::to_string(index),
                  "--insecure_network"} +
            endless_training() +
            Arguments{"--variable_update=replicated", "--all_reduce_spec=xring"} + more,
        network_->host(index));
  }
  static std::vector<std::string> addresses() {
    return {NetworkNamespaces::address(0), NetworkNamespaces::address(1)};
  }

  // Both end with 6 within 5 s, and say who is lost.
  void expect_lost(Clock::time_point begin) {
    for (const auto& worker : workers_) EXPECT_EQ(worker->exit_code(kEnded), 6) << worker->err();
    EXPECT_LT(since(begin), 7) << "named within 5 s, on a machine that is busy";
    EXPECT_THAT(workers_[0]->err(), HasSubstr("worker 1"));
    EXPECT_THAT(workers_[1]->err(), HasSubstr("worker 0"));
    for (const auto& worker : workers_) EXPECT_THAT(worker->err(), HasSubstr(" lost"));
  }

  std::unique_ptr<NetworkNamespaces> network_;
  std::array<std::unique_ptr<RunningProgram>, 2> workers_;
};

TEST_F(FailingNetwork, ThatIsCutIsNamedByBothSides) {
  start(addresses());
  ASSERT_TRUE(workers_[0]->says("\n20\timages")) << workers_[0]->err();
  const auto begin = Clock::now();
  network_->cut(1);
  expect_lost(begin);
}

TEST_F(FailingNetwork, ThatLosesWhatOneSideSendsIsNamedByBothSides) {
  for (const std::size_t mute : {0u, 1u}) {
    network_ = std::make_unique<NetworkNamespaces>(2);
    start(addresses());
    ASSERT_TRUE(workers_[0]->says("\n20\timages")) << workers_[0]->err();
    const auto begin = Clock::now();
    network_->mute(mute);
    expect_lost(begin);
  }
}

TEST_F(FailingNetwork, ThatIsSlowIsSurvived) {
  network_->limit(0, "20mbit", "64kb");
  network_->limit(1, "20mbit", "64kb");
  start(addresses(), {"--num_batches=3"});
  for (const auto& worker : workers_) EXPECT_EQ(worker->exit_code(120), 0) << worker->err();
}

TEST_F(FailingNetwork, OfTheSixthVersionAloneCarriesARun) {
  for (const std::size_t host : {0u, 1u}) network_->remove_addresses_of_version_4(host);
  start({"[" + NetworkNamespaces::address_6(0) + "]", "[" + NetworkNamespaces::address_6(1) + "]"},
        {"--num_batches=20"});
  for (const auto& worker : workers_) EXPECT_EQ(worker->exit_code(), 0) << worker->err();
}

// Loopback means another host to each of them.
TEST_F(FailingNetwork, IsNotToBeEnteredByLoopback) {
  start(addresses(), {"--join_timeout=5", "--advertise_address=127.0.0.1"});
  for (const auto& worker : workers_) {
    ASSERT_TRUE(worker->exit_code(30));
    EXPECT_NE(worker->exit_code(), 0) << worker->err();
  }
  EXPECT_THAT(workers_[0]->err() + workers_[1]->err(), HasSubstr("127.0.0.1"));
}

TEST_F(FailingNetwork, IsNotEnteredInClearTextWithoutLeave) {
  RunningProgram worker(Arguments{"run",
                                  "--worker_hosts=" + NetworkNamespaces::address(0) + ":5000," +
                                      NetworkNamespaces::address(1) + ":5000",
                                  "--job_name=worker", "--task_index=0", "--join_timeout=5"} +
                            endless_training(),
                        network_->host(0));
  ASSERT_TRUE(worker.exit_code(30));
  EXPECT_NE(worker.exit_code(), 0);
  EXPECT_THAT(worker.err(), HasSubstr("--insecure_network"));
}

}  // namespace
}  // namespace convoy::fault_networks_test
