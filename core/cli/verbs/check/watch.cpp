#include "core/cli/verbs/check/checks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <span>
#include <thread>

#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/interrupt.hpp"
#include "core/cli/verbs/children/child_program.hpp"

namespace convoy::cli {
namespace {

namespace fs = std::filesystem;

struct Stamp {
  bool exists = false;
  fs::file_time_type time{};
  std::uintmax_t size = 0;

  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const fs::path& file) {
  std::error_code no_time;
  std::error_code no_size;
  const Stamp stamp{true, fs::last_write_time(file, no_time), fs::file_size(file, no_size)};
  return no_time || no_size ? Stamp{} : stamp;
}

// Waits until the file differs from the one that was seen, or a signal comes.
void await_change(const fs::path& file, const Stamp& seen, const InterruptGuard& interrupt) {
  constexpr std::chrono::milliseconds kLook{200};
  for (Stamp before; !interrupt.requested();) {
    std::this_thread::sleep_for(kLook);
    const Stamp now = stamp_of(file);
    if (now.exists && !(now == seen) && now == before) return;
    before = now;
  }
}

fs::path file_of(std::span<const std::string> arguments) {
  const std::string& name = arguments.front();
  return name.find('/') == std::string::npos ? scan_catalog(arguments).find(name).front().path
                                             : fs::path(name);
}

}  // namespace

int watch_check(std::vector<std::string> arguments, std::ostream& out) {
  std::erase_if(arguments, [](const std::string& it) { return it.starts_with("--watch"); });
  const fs::path file = file_of(arguments);
  arguments.insert(arguments.begin(), "check");
  InterruptGuard interrupt;
  interrupt.end_quietly();
  for (int number = 1; !interrupt.requested(); ++number) {
    const Stamp seen = stamp_of(file);
    out << fmt::format("check {} of {}, again when it changes; Ctrl-C ends\n", number,
                       file.string())
        << std::flush;
    show_child_program(arguments, [&] { return interrupt.requested(); });
    await_change(file, seen, interrupt);
  }
  return static_cast<int>(interrupt.code());
}

}  // namespace convoy::cli
