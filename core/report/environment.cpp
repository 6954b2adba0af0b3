#include "core/report/environment.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>

namespace convoy::report {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return {};
}

std::uint32_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 0;
  return static_cast<std::uint32_t>(CPU_COUNT(&set));
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
  environment.processors = usable_processors();
  environment.memory_bytes = memory_bytes();
  environment.start_time = utc_now();
  return environment;
}

}  // namespace convoy::report
