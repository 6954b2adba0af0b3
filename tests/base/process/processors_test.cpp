#include "core/base/process/processors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

namespace convoy::processors_test {
namespace {

using testing::ElementsAre;

TEST(Processors, AreThoseThatTheProcessMayUse) {
  const std::vector<unsigned> all = usable_processors();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(count_usable_processors(), all.size());
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(::getpid(), sizeof(before), &before), 0);
  cpu_set_t last;
  CPU_ZERO(&last);
  CPU_SET(all.back(), &last);
  ASSERT_EQ(::sched_setaffinity(::getpid(), sizeof(last), &last), 0);
  EXPECT_THAT(usable_processors(), ElementsAre(all.back()));
  EXPECT_EQ(count_usable_processors(), 1u);
  ASSERT_EQ(::sched_setaffinity(::getpid(), sizeof(before), &before), 0);
  EXPECT_EQ(usable_processors(), all);
}

}  // namespace
}  // namespace convoy::processors_test
