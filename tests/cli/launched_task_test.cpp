#include "core/cli/verbs/launched_task.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "tests/scratch_folder.hpp"

namespace convoy::launched_task_test {

pid_t launcher = 0;

// Called by a task between its fork and all that it does itself.
void await_end_of_launcher() {
  while (launcher != 0 && ::getppid() == launcher) ::usleep(1000);
}

// Starts this program, which runs no test and reports that, and ends before the task has begun.
[[noreturn]] void start_and_end(const std::string& report) {
  std::signal(SIGPIPE, SIG_IGN);  // nobody reads what the task prints
  launcher = ::getpid();
  if (::pthread_atfork(nullptr, nullptr, await_end_of_launcher) != 0) ::_exit(1);
  const LaunchedTask task("task", {"task", "--gtest_filter=-*", "--gtest_output=xml:" + report},
                          nullptr);
  ::_exit(0);
}

// It would ask for a signal at its launcher's end, which has been.
TEST(LaunchedTask, DoesNotOutliveALauncherThatIsGoneAlready) {
  const std::string report = scratch_folder("launched_task") + "/report.xml";
  std::array<int, 2> alive{};
  ASSERT_EQ(::pipe(alive.data()), 0);
  const pid_t process = ::fork();
  if (process == 0) start_and_end(report);
  ::close(alive[1]);  // launcher and task have the other copies
  int status = -1;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  char byte = 0;
  EXPECT_EQ(::read(alive[0], &byte, 1), 0) << "both have ended";
  ::close(alive[0]);
  EXPECT_FALSE(std::filesystem::exists(report)) << "it ran";
}

}  // namespace convoy::launched_task_test
