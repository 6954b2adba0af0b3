#include "core/calibrate/disturbance.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/process/clocks.hpp"
#include "core/base/system/system_root.hpp"

namespace convoy::calibrate {
namespace {

// The column after the name in the first line of /proc/stat; see proc(5).
constexpr std::size_t kIdle = 3;
constexpr std::size_t kInputWait = 4;
constexpr std::size_t kSteal = 7;

double own_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return processor_seconds_of(usage);
}

}  // namespace

std::optional<Disturbance::Times> Disturbance::read() {
  std::istringstream text(SystemRoot("/").text("proc/stat").value_or(""));
  std::string name;
  text >> name;
  std::vector<double> ticks(kSteal + 1, 0);
  for (double& column : ticks) text >> column;
  if (!text || name != "cpu") return std::nullopt;
  const double second = static_cast<double>(sysconf(_SC_CLK_TCK));
  Times times;
  for (const double column : ticks) times.all += column / second;
  times.taken = times.all - (ticks[kIdle] + ticks[kInputWait]) / second - own_seconds();
  return times;
}

std::optional<double> Disturbance::share() const {
  const std::optional<Times> now = read();
  if (!start_ || !now || !(now->all > start_->all)) return std::nullopt;
  return std::clamp((now->taken - start_->taken) / (now->all - start_->all), 0.0, 1.0);
}

}  // namespace convoy::calibrate
