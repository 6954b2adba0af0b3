#include "core/base/files/folder_entries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace convoy::folder_entries_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(FolderEntries, AreSortedPaths) {
  const fs::path folder = fs::path(testing::TempDir()) / "folder_entries_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "b");
  for (const char* name : {"c", "a"}) std::ofstream(folder / name) << "text";
  std::error_code error;
  EXPECT_THAT(folder_entries(folder, error), ElementsAre(folder / "a", folder / "b", folder / "c"));
  EXPECT_FALSE(error);
  fs::remove_all(folder);
}

TEST(FolderEntries, AreNoneWithAReasonWhereNoFolderIs) {
  std::error_code error;
  EXPECT_THAT(folder_entries("/none/such", error), IsEmpty());
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace convoy::folder_entries_test
