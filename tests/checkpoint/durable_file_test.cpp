#include "core/checkpoint/durable_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/checkpoint/scratch.hpp"

namespace convoy::testing {
namespace {

using checkpoint::DurableFile;
using ::testing::HasSubstr;

TEST(DurableFile, AppearsOnlyOnceItIsCommitted) {
  const fs::path folder = fresh_folder("durable");
  {
    DurableFile file(folder / "x");
    file.write("new");
    EXPECT_FALSE(fs::exists(folder / "x"));
    file.commit();
  }
  EXPECT_EQ(content(folder / "x"), "new");
  EXPECT_EQ(files_in(folder), std::vector<std::string>{"x"});
}

TEST(DurableFile, LeavesTheOldFileWhenItIsAbandoned) {
  const fs::path folder = fresh_folder("durable_abandoned");
  write_file(folder / "x", "old");
  {
    DurableFile file(folder / "x");
    file.write("half of the n");
    const auto names = files_in(folder);
    ASSERT_EQ(names.size(), 2u);
    EXPECT_TRUE(DurableFile::is_temporary(folder / names.back())) << names.back();
  }
  EXPECT_EQ(content(folder / "x"), "old");
  EXPECT_EQ(files_in(folder), std::vector<std::string>{"x"});
}

TEST(DurableFile, SaysWhyAFileCannotBeMade) {
  const fs::path folder = fresh_folder("durable_refused");
  write_file(folder / "not_a_folder", "");
  try {
    DurableFile file(folder / "not_a_folder" / "x");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("not_a_folder/x"));
    EXPECT_THAT(error.what(), HasSubstr("Not a directory"));
  }
}

TEST(DurableFile, KnowsItsTemporaryNames) {
  EXPECT_TRUE(DurableFile::is_temporary("model-4.safetensors.saving-4711"));
  for (const char* name : {"model-4.safetensors", "x.saving-", "x.saving-12a", "saving-12"})
    EXPECT_FALSE(DurableFile::is_temporary(name)) << name;
}

}  // namespace
}  // namespace convoy::testing
