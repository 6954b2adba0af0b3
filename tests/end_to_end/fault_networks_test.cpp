// Runs on several hosts in a network of namespaces that fails: share/test.sh faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "tests/end_to_end/failing_network.hpp"

namespace convoy::fault_networks_test {
namespace {

using ::testing::HasSubstr;

constexpr double kNamed = 7;  // seconds: within 5 s, on a machine that is busy

TEST_F(FailingNetwork, ThatIsCutIsNamedInTime) {
  start(addresses());
  ASSERT_TRUE(workers_[0]->says("\n20\timages")) << workers_[0]->err();
  const auto begin = Clock::now();
  network_->cut(1);
  expect_lost(begin, kNamed);
}

TEST_F(FailingNetwork, ThatLosesWhatOneSideSendsIsNamedByBothSides) {
  for (const std::size_t mute : {0u, 1u}) {
    network_ = std::make_unique<NetworkNamespaces>(2);
    start(addresses());
    ASSERT_TRUE(workers_[0]->says("\n20\timages")) << workers_[0]->err();
    const auto begin = Clock::now();
    network_->mute(mute);
    expect_lost(begin, kNamed);
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

// As Debian installs them: a host's own name means 127.0.1.1 to itself.
TEST_F(FailingNetwork, OfHostsThatKnowThemselvesByLoopbackCarriesARun) {
  network_->give_names();
  start({NetworkNamespaces::name(0), NetworkNamespaces::name(1)}, {"--num_batches=20"});
  for (const auto& worker : workers_) EXPECT_EQ(worker->exit_code(), 0) << worker->err();
}

TEST_F(FailingNetwork, OfNamesIsNotEnteredInClearTextWithoutLeave) {
  network_->give_names();
  RunningProgram chief(Arguments{"run",
                                 "--worker_hosts=" + NetworkNamespaces::name(0) + ":5000," +
                                     NetworkNamespaces::name(1) + ":5000",
                                 "--job_name=worker", "--task_index=0", "--join_timeout=5"} +
                           endless_training(),
                       network_->host(0));
  EXPECT_EQ(chief.exit_code(30), 2) << chief.err();
  EXPECT_THAT(chief.err(), HasSubstr("--insecure_network"));
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
