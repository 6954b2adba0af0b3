#include "core/report/environment.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "core/base/process/processors.hpp"
#include "core/base/system/system_root.hpp"
#include "core/base/text/system_text.hpp"

namespace convoy::report {
namespace {

std::string cpu_name() {
  const std::string info = SystemRoot("/").text("proc/cpuinfo").value_or("");
  return value_of(info, "model name", ':').value_or("");
}

std::uint64_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages < 0 || page_bytes < 0) return 0;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm fields{};
  gmtime_r(&now, &fields);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text.data();
}

}  // namespace

Environment detect_environment(const std::string& convoy_version) {
  Environment environment;
  environment.convoy_version = convoy_version;
  utsname names{};
  if (uname(&names) == 0) {
    environment.host_name = names.nodename;
    environment.operating_system =
        std::string(names.sysname) + " " + names.release + " " + names.machine;
  }
  environment.cpu = cpu_name();
  environment.processors = count_usable_processors();
  environment.memory_bytes = memory_bytes();
  environment.start_time = utc_now();
  return environment;
}

}  // namespace convoy::report
