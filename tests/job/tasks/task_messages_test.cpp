// What tasks tell each other is read back as it was, and nothing else is believed.
#include "core/job/tasks/task_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/base/error.hpp"

namespace convoy::job::task_messages_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The reason; empty if it was believed.
std::string refusal_of(const std::function<void()>& read) {
  try {
    read();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_THAT(error.what(), HasSubstr("another task's message about its "));
    return error.what();
  }
}

TEST(TaskMessages, AreReadBack) {
  const ChiefsSizes sizes{2, 16, 1, 10};
  EXPECT_EQ(read_chiefs_sizes(to_text(sizes)), sizes);
  WorkersDevices devices;
  devices.names = {"cuda:0", "cuda:1"};
  devices.localities = {"0000:01:00.0", ""};
  EXPECT_EQ(read_workers_devices(to_text(devices)).localities, devices.localities);
  TaskTrace trace{0.5, 1e-4, 3, {{"apply", 7, "update", "cpu:0", 1, 2}}};
  const TaskTrace again = read_task_trace(to_text(trace));
  EXPECT_EQ(to_text(again), to_text(trace));
  EXPECT_EQ(again.events.at(0).operation, 7u);
  EXPECT_THAT(read_cores("[0,2]"), ElementsAre(0, 2));
}

// why_no_spanning_collectives() takes the locality of every name.
TEST(TaskMessages, OfADeviceWithoutALocalityAreRefused) {
  const std::string text = R"({"refusal":"","names":["cuda:0","cuda:1"],"localities":["x"]})";
  EXPECT_THAT(refusal_of([&] { read_workers_devices(text); }),
              HasSubstr("2 names and 1 localities"));
}

TEST(TaskMessages, ThatCountWhatCannotBeAreRefused) {
  for (const char* text : {R"({"devices":4000000000,"batch":1,"warmup_steps":0,"timed_steps":1})",
                           R"({"devices":-1,"batch":1,"warmup_steps":0,"timed_steps":1})",
                           R"({"devices":1e300,"batch":1,"warmup_steps":0,"timed_steps":1})",
                           R"({"devices":1,"batch":0,"warmup_steps":0,"timed_steps":1})",
                           R"({"devices":1,"batch":1,"warmup_steps":0})", "[]", "{", ""})
    EXPECT_NE(refusal_of([&] { read_chiefs_sizes(text); }), "") << text;
  EXPECT_NE(refusal_of([] { read_cores("[-1]"); }), "");
  EXPECT_NE(refusal_of([] { read_cores("[1e9]"); }), "");
  EXPECT_THAT(refusal_of([] { read_measured_links("[[1,1,1,1]]", 2); }),
              HasSubstr("1 links to 2 tasks"));
  EXPECT_NE(refusal_of([] { read_measured_links("[[1,1,null,1]]", 1); }), "");
  TaskDevices groups;
  groups.groups.numa = {0, 0, 1};
  EXPECT_THAT(refusal_of([&] { read_task_devices(to_text(groups), 2); }),
              HasSubstr("3 groups for 2 devices"));
}

}  // namespace
}  // namespace convoy::job::task_messages_test
