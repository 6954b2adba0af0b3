#include "core/base/system/system_root.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

class SystemRootTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  const std::filesystem::path folder_ = scratch_folder("system_root");
  const SystemRoot root_{folder_};
};

TEST_F(SystemRootTest, TextsEndBeforeTheirWhiteSpace) {
  write("limit", " 12 kB\tof\nall \t\n\n");
  EXPECT_EQ(root_.text("limit"), " 12 kB\tof\nall");
  write("blank", " \n");
  EXPECT_EQ(root_.text("blank"), "");
  write("empty", "");
  EXPECT_EQ(root_.text("empty"), "");
}

TEST_F(SystemRootTest, LongTextsAreReadUpToAMebibyte) {
  const std::string text(300'000, 'x');
  write("long", text);
  EXPECT_EQ(root_.text("long"), text);
  write("longer", std::string(5 << 20, 'x'));
  EXPECT_EQ(root_.text("longer"), std::string(1 << 20, 'x'));
}

TEST_F(SystemRootTest, OnlyFilesHaveTexts) {
  EXPECT_EQ(root_.text("missing"), std::nullopt);
  EXPECT_EQ(root_.text(""), std::nullopt) << "a folder";
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(root_.text("pipe"), std::nullopt) << "without waiting for its other end";
}

TEST_F(SystemRootTest, FilesThatSayTheyAreEmptyAreRead) {
  EXPECT_GT(SystemRoot("/").text("proc/self/stat").value_or("").size(), 0u);
}

// What a kernel refuses to read, as this one does at address 0.
TEST_F(SystemRootTest, UnreadableFilesHaveNoText) {
  EXPECT_EQ(SystemRoot("/").text("proc/self/mem"), std::nullopt);
}

}  // namespace
}  // namespace convoy
