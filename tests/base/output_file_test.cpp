#include "core/base/output_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "core/base/error.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("convoy_output_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string message_of(void (*action)(const fs::path&), const fs::path& path) {
  try {
    action(path);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST_F(OutputFile, ReplacesTheOldContentAndLeavesNothingElse) {
  const fs::path path = folder_ / "out.json";
  write_output_file(path, "first, and longer");
  write_output_file(path, "second");
  EXPECT_EQ(content_of(path), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(OutputFile, NamesAPathThatCannotBeWritten) {
  const fs::path path = folder_ / "missing" / "out.json";
  const auto write = [](const fs::path& to) { write_output_file(to, "text"); };
  EXPECT_NE(message_of(write, path).find(path.string()), std::string::npos);
  EXPECT_NE(message_of(check_output_file, path).find(path.string()), std::string::npos);
}

TEST_F(OutputFile, RefusesAFolderBeforehand) {
  EXPECT_NE(message_of(check_output_file, folder_).find("it is a folder"), std::string::npos);
  EXPECT_EQ(message_of(check_output_file, folder_ / "out.json"), "");
}

}  // namespace
}  // namespace convoy
