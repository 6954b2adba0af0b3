// Whoever reads what the program prints may stop reading, and hold the pipe open all the same.
#include "core/cli/standard_streams.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include "core/base/process/last_words.hpp"
#include "core/cli/interrupt.hpp"

namespace convoy::cli::standard_streams_test {
namespace {

bool is_ending = false;

bool told_ending() {
  return is_ending;
}

class FullPipe {
 public:
  FullPipe() {
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK), 0);
    const std::string page(4096, 'x');
    while (::write(ends_[1], page.data(), page.size()) > 0) filled_ += page.size();
    ::fcntl(ends_[1], F_SETFL, 0);
  }
  ~FullPipe() {
    for (const int end : ends_) ::close(end);
  }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

  int end() const { return ends_[1]; }
  // What was written since the pipe was full or was read.
  std::string read() {
    std::string page(4096, ' ');
    std::string found;
    for (ssize_t count = 0; (count = ::read(ends_[0], page.data(), page.size())) > 0;)
      found.append(page.data(), static_cast<std::size_t>(count));
    return found.substr(std::exchange(filled_, 0));
  }

 private:
  std::array<int, 2> ends_{};
  std::size_t filled_ = 0;
};

class StandardStreams : public testing::Test {
 protected:
  void SetUp() override { is_ending = false; }
  FullPipe pipe_;
};

TEST_F(StandardStreams, WaitForASlowReader) {
  PatientWriter writer(pipe_.end(), &told_ending);
  std::string said;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    said = pipe_.read();
  });
  EXPECT_TRUE(writer.write("a line\n"));
  reader.join();
  EXPECT_EQ(said + pipe_.read(), "a line\n");
}

TEST_F(StandardStreams, WaitForNobodyOnceTheProcessIsToEnd) {
  PatientWriter writer(pipe_.end(), &told_ending);
  is_ending = true;
  EXPECT_FALSE(writer.write("a line\n"));
  const auto begin = std::chrono::steady_clock::now();
  for (int line = 0; line < 1000; ++line) EXPECT_FALSE(writer.write("another line\n"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1)) << "for each again";
  EXPECT_EQ(pipe_.read(), "");
}

// Shells and programs that share a terminal or a pipe leave it so.
TEST_F(StandardStreams, WaitWhereOthersHaveMadeThemNonBlocking) {
  ::fcntl(pipe_.end(), F_SETFL, O_NONBLOCK);
  PatientWriter writer(pipe_.end(), &told_ending);
  is_ending = true;
  pipe_.read();
  const std::string text(100'000, 'y');
  EXPECT_FALSE(writer.write(text));
  EXPECT_GT(pipe_.read().size(), 4096u) << "as much as it takes";
}

// As `convoy run 2>&1 | sleep 1000` does at Ctrl-C: all of it in a process of its own.
TEST_F(StandardStreams, LetASignalEndTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::dup2(pipe_.end(), STDOUT_FILENO);
    ::dup2(pipe_.end(), STDERR_FILENO);
    let_standard_streams_end();
    InterruptGuard guard;
    guard.end_after_steps();
    std::raise(SIGTERM);
    std::printf("a line of C\n");
    std::cout << "a line" << std::endl;
    std::cerr << "a line" << std::endl;
    const bool lost = !std::cout && !std::cerr && std::ferror(stdout) != 0;
    ::_exit(lost ? static_cast<int>(guard.code()) : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 143);
}

}  // namespace
}  // namespace convoy::cli::standard_streams_test
