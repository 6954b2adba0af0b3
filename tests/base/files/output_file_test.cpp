#include "core/base/files/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "core/base/error.hpp"
#include "tests/support/thrown_text.hpp"

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
  return thrown_text([&] { action(path); });
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

TEST_F(OutputFile, RefusesACircleOfLinksAndLeavesIt) {
  const fs::path first = folder_ / "first.json";
  const fs::path second = folder_ / "second.json";
  fs::create_symlink(second, first);
  fs::create_symlink(first, second);
  const auto write = [](const fs::path& to) { write_output_file(to, "text"); };
  EXPECT_NE(message_of(write, first).find("Too many levels"), std::string::npos);
  EXPECT_NE(message_of(check_output_file, first).find("leads back to itself"), std::string::npos);
  EXPECT_TRUE(fs::is_symlink(first));
}

TEST_F(OutputFile, RefusesASocketBeforehand) {
  const fs::path path = folder_ / "socket.json";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.string().size(), sizeof address.sun_path);
  path.string().copy(address.sun_path, sizeof address.sun_path);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  ASSERT_EQ(::bind(descriptor, any, sizeof address), 0);
  EXPECT_NE(message_of(check_output_file, path).find("it is a socket"), std::string::npos);
  ::close(descriptor);
}

TEST_F(OutputFile, RefusesAFolderBeforehand) {
  EXPECT_NE(message_of(check_output_file, folder_).find("it is a folder"), std::string::npos);
  EXPECT_EQ(message_of(check_output_file, folder_ / "out.json"), "");
}

// Beside the name there is a longer one while the file is written.
TEST_F(OutputFile, RefusesADeletedWorkingFolderBeforehand) {
  const fs::path before = fs::current_path();
  fs::create_directories(folder_ / "gone");
  fs::current_path(folder_ / "gone");
  fs::remove(folder_ / "gone");
  const std::string message = message_of(check_output_file, "out.json");
  fs::current_path(before);
  EXPECT_NE(message.find("the working folder has been deleted"), std::string::npos) << message;
}

TEST_F(OutputFile, TellsAFolderThatIsClosedFromOneThatIsNone) {
  const fs::path closed = folder_ / "closed";
  fs::create_directories(closed / "inner");
  fs::permissions(closed, fs::perms::none);
  const bool is_root = ::geteuid() == 0;
  constexpr uid_t kNobody = 65534;
  ASSERT_TRUE(!is_root || ::seteuid(kNobody) == 0);
  const std::string message = message_of(check_output_file, closed / "inner" / "out.json");
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  fs::permissions(closed, fs::perms::owner_all);
  EXPECT_NE(message.find("no permission to look into"), std::string::npos) << message;
}

TEST_F(OutputFile, RefusesATooLongNameBeforehand) {
  for (const std::size_t length : {300, 250})
    EXPECT_THROW(check_output_file(folder_ / std::string(length, 'x')), Error) << length;
  EXPECT_NO_THROW(check_output_file(folder_ / std::string(200, 'x')));
}

TEST_F(OutputFile, WaitsNotForEverForWhoeverHoldsAPipeOpen) {
  const fs::path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int holder = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  const auto write = [](const fs::path& to) {
    write_output_file(to, std::string(1 << 20, 'x'), std::chrono::milliseconds(10));
  };
  EXPECT_NE(message_of(write, path).find("nobody reads it"), std::string::npos);
  ::close(holder);
}

TEST_F(OutputFile, WritesIntoAPipeAndLeavesItThere) {
  const fs::path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto write = [](const fs::path& to) { write_output_file(to, "text"); };
  EXPECT_NE(message_of(write, path).find("nobody reads it; start its reader first"),
            std::string::npos);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(message_of(check_output_file, path), "");
  write_output_file(path, "through a pipe");
  std::string text(100, ' ');
  text.resize(static_cast<std::size_t>(::read(reader, text.data(), text.size())));
  ::close(reader);
  EXPECT_EQ(text, "through a pipe");
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(OutputFile, WaitsForWhoeverReadsAPipeSlowly) {
  const fs::path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  constexpr std::size_t kBytes = 1000000;  // more than pipes hold
  std::string text;
  std::thread reader([&] { text = content_of(path); });
  const auto write = [](const fs::path& to) { write_output_file(to, std::string(kBytes, 'x')); };
  while (!message_of(write, path).empty()) std::this_thread::yield();  // nobody reads it yet
  reader.join();
  EXPECT_EQ(text.size(), kBytes);
}

TEST_F(OutputFile, WritesWhatALinkLeadsTo) {
  const fs::path target = folder_ / "target.json";
  const fs::path link = folder_ / "link.json";
  std::ofstream(target) << "old";
  fs::create_symlink("target.json", link);
  write_output_file(link, "new");
  EXPECT_EQ(content_of(target), "new");
  EXPECT_TRUE(fs::is_symlink(link));
}

}  // namespace
}  // namespace convoy
