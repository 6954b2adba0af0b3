#include "core/job/openmp_environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "tests/environment.hpp"

namespace convoy::job {
namespace {

TEST(OpenmpEnvironment, ThreadsLookShortlyUnlessTheUserSaysHowLong) {
  const Environment restored(
      {{"GOMP_SPINCOUNT", std::nullopt}, {"OMP_PROC_BIND", "true"}, {"OMP_WAIT_POLICY", "active"}});
  set_openmp_environment();
  EXPECT_STREQ(std::getenv("GOMP_SPINCOUNT"), "1000");
  EXPECT_EQ(std::getenv("OMP_PROC_BIND"), nullptr);
  EXPECT_EQ(std::getenv("OMP_WAIT_POLICY"), nullptr);
  setenv("GOMP_SPINCOUNT", "7", 1);
  set_openmp_environment();
  EXPECT_STREQ(std::getenv("GOMP_SPINCOUNT"), "7");
}

}  // namespace
}  // namespace convoy::job
