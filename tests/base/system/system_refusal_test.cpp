#include "core/base/system/system_refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ios>
#include <new>
#include <stdexcept>
#include <system_error>

namespace convoy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SystemRefusal, SaysWhichLimitMayBeReached) {
  const std::optional<Error> memory = refusal_by_system(std::bad_alloc());
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->code(), ExitCode::kUnavailable);
  EXPECT_THAT(memory->what(), HasSubstr("`ulimit -v`"));
  const std::optional<Error> thread = refusal_by_system(
      std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)));
  ASSERT_TRUE(thread);
  EXPECT_EQ(thread->code(), ExitCode::kUnavailable);
  EXPECT_THAT(thread->what(), AllOf(HasSubstr("`ulimit -u` (of all processes of this user"),
                                    Not(HasSubstr("`ulimit -n`"))));
}

TEST(SystemRefusal, OfAPathIsNoLimit) {
  const std::optional<Error> file = refusal_by_system(std::filesystem::filesystem_error(
      "cannot list", "/there", std::make_error_code(std::errc::permission_denied)));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->code(), ExitCode::kFailed);
  EXPECT_STREQ(file->what(),
               "/there: Permission denied (cannot list); check that it exists and may be used");
  const std::optional<Error> relative = refusal_by_system(std::filesystem::filesystem_error(
      "cannot make absolute path", "here",
      std::make_error_code(std::errc::no_such_file_or_directory)));
  ASSERT_TRUE(relative);
  EXPECT_STREQ(relative->what(),
               "here: No such file or directory (cannot make absolute path); check that it "
               "exists and may be used, and that the working folder still exists");
}

TEST(SystemRefusal, OfAStreamIsNoLimit) {
  const std::optional<Error> file = refusal_by_system(
      std::ios_base::failure("reading", std::make_error_code(std::errc::io_error)));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->code(), ExitCode::kFailed);
  EXPECT_THAT(file->what(), AllOf(HasSubstr("Input/output error"), Not(HasSubstr("ulimit"))));
}

// As plug-ins and the loader say it.
TEST(SystemRefusal, AsTextIsAdvisedToo) {
  EXPECT_THAT(with_advice("std::bad_alloc"), HasSubstr("`ulimit -v`"));
  EXPECT_THAT(with_advice("std::bad_alloc"), Not(HasSubstr("std::")));
  for (const std::string reason :
       {"failed to map segment from shared object", "cannot map zero-fill pages"})
    EXPECT_THAT(with_advice("a.so: " + reason),
                AllOf(HasSubstr("a.so: " + reason), HasSubstr("`ulimit -v`")));
  EXPECT_THAT(with_advice("thread: Resource temporarily unavailable"), HasSubstr("`ulimit -u`"));
  EXPECT_THAT(with_advice("a.so: Too many open files"), HasSubstr("`ulimit -n`"));
  EXPECT_THAT(with_advice("writing: File too large"), HasSubstr("`ulimit -f`"));
  EXPECT_EQ(with_advice("a reason of its own"), "a reason of its own");
}

TEST(SystemRefusal, IsNothingElse) {
  EXPECT_FALSE(refusal_by_system(std::logic_error("a defect")));
}

}  // namespace
}  // namespace convoy
