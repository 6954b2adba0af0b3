// What tasks tell each other in texts, most of them JSON: the first byte chooses what it is about,
// any bytes follow.
// What is read says the same when it is written and read again.
#include "core/base/error.hpp"
#include "core/job/tasks/task_messages.hpp"
#include "core/runtime/asynchronous/worker_reports.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace convoy::job;
using convoy::job::to_text;
using convoy::runtime::to_text;

constexpr std::uint32_t kDevices = 2;  // and tasks
constexpr int kSubjects = 8;

convoy::runtime::LastSteps read_last_steps(const std::string& text) {
  return convoy::runtime::last_steps_of_all(std::vector<std::string>{text}, kDevices);
}

std::vector<convoy::WorkerRecord> read_workers(const std::string& text) {
  return convoy::runtime::workers_of_all(std::vector<std::string>{text}, kDevices);
}

void read_text(int subject, const std::string& text) {
  const auto twice = [&text](const auto& read) {
    const std::string written = to_text(read(text));
    CONVOY_CHECK(to_text(read(written)) == written);
  };
  switch (subject) {
    case 0:
      return twice(read_chiefs_sizes);
    case 1:
      return twice([](const std::string& it) { return read_task_devices(it, kDevices); });
    case 2:
      return twice(read_workers_devices);
    case 3:
      return twice([](const std::string& it) { return read_measured_links(it, kDevices); });
    case 4:
      return twice(read_cores);
    case 5:
      return twice(read_task_trace);
    case 6:
      return twice(read_last_steps);
    default:
      return twice(read_workers);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(convoy::fuzz::as_text(data + 1, size - 1));
  convoy::fuzz::expect_result_or_error([&] { read_text(data[0] % kSubjects, text); });
  return 0;
}
