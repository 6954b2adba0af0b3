#include "core/cli/verbs/children/launched_task.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/cli/verbs/children/child_in_turns.hpp"
#include "tests/ended_parent.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::cli::launched_task_test {

// This program, which runs no test and reports that.
std::vector<std::string> reporting_to(const std::string& report) {
  return {"--gtest_filter=-*", "--gtest_output=xml:" + report};
}

bool never() {
  return false;
}

// They would ask for a signal at their parent's end, which has been.
TEST(LaunchedTask, DoesNotOutliveALauncherThatIsGoneAlready) {
  const std::string report = scratch_folder("launched_task") + "/report.xml";
  ended_parent::start_from(
      [&] { const LaunchedTask task("task", program_words(reporting_to(report)), nullptr); });
  EXPECT_FALSE(std::filesystem::exists(report)) << "it ran";
}

TEST(ChildProgram, DoesNotOutliveAProgramThatIsGoneAlready) {
  const std::string report = scratch_folder("child_program") + "/report.xml";
  ended_parent::start_from([&] { run_child_program(reporting_to(report), never); });
  EXPECT_FALSE(std::filesystem::exists(report)) << "it ran";
  ended_parent::start_from([&] { show_child_program(reporting_to(report), never); });
  EXPECT_FALSE(std::filesystem::exists(report)) << "it ran";
}

TEST(ChildInTurns, DoesNotOutliveAProgramThatIsGoneAlready) {
  const std::string folder = scratch_folder("child_in_turns");
  ended_parent::start_from([&] {
    const ChildInTurns child("/proc/self/exe", reporting_to(folder + "/report.xml"),
                             folder + "/errors", never);
  });
  EXPECT_FALSE(std::filesystem::exists(folder + "/report.xml")) << "it ran";
}

}  // namespace convoy::cli::launched_task_test
