#include "core/report/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace convoy::report {
namespace {

constexpr const char* kReturnAndErase = "\r\033[K";
constexpr std::size_t kUsualColumns = 80;

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

}  // namespace

Progress::Progress(std::ostream& out, bool enabled, Clock::duration interval, std::size_t columns)
    : out_(out),
      enabled_(enabled),
      interval_(interval),
      columns_(columns),
      next_(Clock::time_point::min()) {}

Progress::~Progress() {
  clear();
}

void Progress::show(const std::string& text, Clock::time_point now) {
  if (!enabled_ || now < next_) return;
  next_ = now + interval_;
  visible_ = true;
  // The last column stays empty, because some terminals begin a new line after it.
  const std::size_t room = std::max<std::size_t>(columns_ > 0 ? columns_ : terminal_columns(), 2);
  out_ << kReturnAndErase << text.substr(0, room - 1) << std::flush;
}

void Progress::clear() {
  if (!visible_) return;
  visible_ = false;
  out_ << kReturnAndErase << std::flush;
}

bool standard_error_is_terminal() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::strcmp(kind, "dumb") != 0);
}

std::string duration_text(double seconds) {
  constexpr double kMost = 100 * 24 * 3600.0;
  const auto whole = std::llround(std::clamp(seconds, 0.0, kMost));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace convoy::report
