#include "core/base/process/in_parallel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace convoy {
namespace {

TEST(InParallel, DoesEachPieceOnce) {
  std::array<std::atomic<int>, 100> times{};
  in_parallel(times.size(), [&](std::size_t i) { ++times[i]; });
  for (const std::atomic<int>& each : times) EXPECT_EQ(each, 1);
}

TEST(InParallel, RethrowsAfterAllHaveEnded) {
  std::atomic<int> done = 0;
  EXPECT_THROW(in_parallel(10,
                           [&](std::size_t i) {
                             ++done;
                             if (i == 3) throw std::runtime_error("three");
                           }),
               std::runtime_error);
  EXPECT_EQ(done, 10);
}

TEST(InParallel, DoesWhatWantsToBeAloneAlone) {
  std::atomic<int> at_work = 0;
  std::array<std::atomic<int>, 20> completed{};
  std::atomic<int> beside_others = 0;
  in_parallel(completed.size(), [&](std::size_t i) {
    ++at_work;
    try {
      if (i % 3 == 0) {
        require_no_other_work();
        if (at_work != 1) ++beside_others;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      ++completed[i];
    } catch (...) {
      --at_work;
      throw;
    }
    --at_work;
  });
  EXPECT_EQ(beside_others, 0);
  for (const std::atomic<int>& each : completed) EXPECT_EQ(each, 1);
}

TEST(InParallel, WithinAnotherIsAloneOnlyWhenThatIs) {
  std::atomic<int> completed = 0;
  in_parallel(2, [&](std::size_t) {
    in_parallel(2, [&](std::size_t) {
      require_no_other_work();
      ++completed;
    });
  });
  EXPECT_EQ(completed, 4);
}

TEST(InParallel, LeavesTheCallerAloneOutsideOfIt) {
  in_parallel(4, [](std::size_t) {});
  EXPECT_NO_THROW(require_no_other_work());
}

TEST(SideBySide, DoesBothPartsWhetherFewOrMany) {
  for (const std::size_t items : {std::size_t{1}, std::size_t{1'000'000}}) {
    std::atomic<int> one = 0;
    std::atomic<int> other = 0;
    side_by_side(
        items, [&] { ++one; }, [&] { ++other; });
    EXPECT_EQ(one, 1) << items;
    EXPECT_EQ(other, 1) << items;
  }
}

}  // namespace
}  // namespace convoy
