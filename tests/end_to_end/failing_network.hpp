#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/end_to_end/host_tasks.hpp"
#include "tests/end_to_end/network_namespaces.hpp"

namespace convoy {

// Two workers on two hosts of a network of their own, in clear text. Skips where there can be none.
class FailingNetwork : public testing::Test {
 protected:
  using Clock = std::chrono::steady_clock;

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

  // Both end with 6, within so many seconds, and say who is lost.
  void expect_lost(Clock::time_point begin, double seconds) {
    for (const auto& worker : workers_)
      EXPECT_EQ(worker->exit_code(seconds + 10), 6) << worker->err();
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), seconds);
    EXPECT_THAT(workers_[0]->err(), testing::HasSubstr("worker 1"));
    EXPECT_THAT(workers_[1]->err(), testing::HasSubstr("worker 0"));
    for (const auto& worker : workers_) EXPECT_THAT(worker->err(), testing::HasSubstr(" lost"));
  }

  std::unique_ptr<NetworkNamespaces> network_;
  std::array<std::unique_ptr<RunningProgram>, 2> workers_;
};

}  // namespace convoy
