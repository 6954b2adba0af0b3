// What another host reports of a step is a report, or refused.
#include "core/runtime/step_totals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/base/error.hpp"
#include "tests/support/in_process_peers.hpp"

namespace convoy::runtime::step_totals_test {
namespace {

using testing::InProcessPeers;

constexpr std::size_t kNormsAt = 56;  // the number of norms in a report

void expect_refused(InProcessPeers& peers, const std::string& report) {
  peers.of(1).begin_exchange(report);
  try {
    totals_of_all({}, peers.of(0));
    ADD_FAILURE() << "a report of " << report.size() << " bytes was believed";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("which is no such report"));
  }
}

TEST(StepTotals, AReportThatCountsMoreThanItHasIsRefused) {
  InProcessPeers peers(2);
  expect_refused(peers, "short");
  const std::string right = peers.of(1).exchanged()->front();
  // Eight bytes each, whose product ends at 2^64.
  for (const std::uint64_t norms : {std::uint64_t{1}, std::uint64_t{1} << 61}) {
    std::string report = right;
    std::memcpy(report.data() + kNormsAt, &norms, sizeof norms);
    expect_refused(peers, report);
  }
}

}  // namespace
}  // namespace convoy::runtime::step_totals_test
