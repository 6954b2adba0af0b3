// Two hosts between which the network is cut: of fault_networks_test.cpp's cases, the one that is
// always tried.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/end_to_end/failing_network.hpp"

namespace convoy::partition_test {
namespace {

// The time-out for peers is 4 s; a busy machine takes its time to notice.
constexpr double kNamedAtLast = 40;

TEST_F(FailingNetwork, ThatIsCutIsNamedByBothSides) {
  start(addresses());
  ASSERT_TRUE(workers_[0]->says("\n20\timages")) << workers_[0]->err();
  const auto begin = Clock::now();
  network_->cut(1);
  expect_lost(begin, kNamedAtLast);
}

}  // namespace
}  // namespace convoy::partition_test
