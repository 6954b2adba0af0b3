#include "core/base/files/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

class InputFileTest : public testing::Test {
 protected:
  const fs::path folder_ = scratch_folder("input_file");
  const fs::path path_ = folder_ / "text";
};

TEST_F(InputFileTest, HasAllBytes) {
  const std::string bytes = std::string(200000, 'x') + '\0' + "end";
  std::ofstream(path_, std::ios::binary) << bytes;
  const InputFile file = read_input_file(path_);
  EXPECT_EQ(file.bytes, bytes);
  EXPECT_EQ(file.problem, "");
  std::ofstream(path_, std::ios::trunc).close();
  EXPECT_EQ(read_input_file(path_).problem, "") << "an empty file is read";
}

TEST_F(InputFileTest, ReadsPipesToTheirEnd) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  std::thread writer([this] { std::ofstream(path_) << "from a pipe"; });
  EXPECT_EQ(read_input_file(path_).bytes, "from a pipe");
  writer.join();
}

TEST_F(InputFileTest, WaitsForThePipesWriterButNotForEver) {
  using std::chrono::milliseconds;
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(read_input_file(path_, 100, milliseconds(20)).problem,
            "nothing has come from it for 0.02 s");
  const int silent = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::write(silent, "half", 4), 4);
  const InputFile file = read_input_file(path_, 100, milliseconds(20));
  EXPECT_EQ(file.problem, "nothing has come from it for 0.02 s") << "and it has not ended";
  EXPECT_EQ(file.bytes, "");
  ::close(silent);
}

TEST_F(InputFileTest, SaysWhyItIsNotRead) {
  EXPECT_EQ(read_input_file(folder_).problem, "it is a folder");
  EXPECT_EQ(read_input_file(path_).problem, "No such file or directory");
  EXPECT_EQ(read_input_file(std::string(5000, 'x')).problem, "File name too long");
}

TEST_F(InputFileTest, EndsWhereThereIsNoEnd) {
  const InputFile file = read_input_file("/dev/zero", 1000);
  EXPECT_EQ(file.problem, "it has more than 1000 bytes");
  EXPECT_EQ(file.bytes, "");
  std::ofstream(path_) << std::string(1000, 'x');
  EXPECT_EQ(read_input_file(path_, 1000).problem, "") << "just so many";
  EXPECT_EQ(read_input_file(path_, 999).problem, "it has more than 999 bytes");
  EXPECT_LE(read_input_file("/dev/zero", 1 << 20).bytes.capacity(), std::size_t{1} << 20)
      << "the limit is one of memory, too";
}

}  // namespace
}  // namespace convoy
