#include "core/report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace convoy {
namespace {

constexpr const char* kEraseLine = "\r\033[K";

std::string time_left(double seconds_so_far, std::int64_t done, std::int64_t total) {
  if (done <= 0 || done >= total) return {};
  const double seconds =
      seconds_so_far / static_cast<double>(done) * static_cast<double>(total - done);
  const auto whole = static_cast<std::int64_t>(seconds);
  return fmt::format("  {}:{:02} left", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(std::ostream& out, bool enabled, Clock::duration interval)
    : out_(out), enabled_(enabled), interval_(interval) {}

Progress::~Progress() {
  clear();
}

void Progress::update(std::string_view what, std::int64_t done, std::int64_t total,
                      std::string_view note, Clock::time_point now) {
  if (!enabled_) return;
  if (what != what_) {
    what_ = what;
    started_at_ = now;
  } else if (now - shown_at_ < interval_) {
    return;
  }
  shown_at_ = now;
  const double so_far = std::chrono::duration<double>(now - started_at_).count();
  out_ << kEraseLine
       << fmt::format("{} {}/{}  {}{}", what, done, total, note, time_left(so_far, done, total))
       << std::flush;
  visible_ = true;
}

void Progress::clear() {
  if (visible_) out_ << kEraseLine << std::flush;
  visible_ = false;
}

bool standard_error_is_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace convoy
