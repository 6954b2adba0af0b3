#include "core/report/input_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text/counted.hpp"

namespace convoy::report {

InputVerdict judge_input(const InputFacts& facts) {
  InputVerdict verdict;
  const double waited = std::clamp(facts.wait_seconds, 0.0, facts.seconds);
  verdict.wait_share = facts.seconds > 0 ? waited / facts.seconds : 0;
  verdict.images_per_second = facts.seconds > 0 ? facts.images / facts.seconds : 0;
  // A run that only waited has no rate without waiting, so its own rate is used.
  const double busy = facts.seconds - waited;
  verdict.images_per_second_without_wait =
      busy > 0 ? facts.images / busy : verdict.images_per_second;
  verdict.bound = verdict.wait_share > kBoundShare;
  return verdict;
}

std::string input_line(const InputVerdict& verdict) {
  const std::string speeds = fmt::format(
      "{:.2f} images/sec, {:.2f} without waiting for input ({:.1f} % of the time)",
      verdict.images_per_second, verdict.images_per_second_without_wait, 100 * verdict.wait_share);
  if (!verdict.bound) return "input keeps up: " + speeds;
  return "input-bound: " + speeds +
         "; more threads (--datasets_num_private_threads) or cores for the input would help";
}

std::string input_speed_line(const InputSpeed& speed) {
  return fmt::format(
      "input only: {:.1f} images/sec with {}, {:.1f} images/sec/core ({}), {:.1f} images per "
      "second "
      "of processor time",
      speed.images_per_second(), counted(speed.threads, "thread"),
      speed.images_per_second_and_core(), counted(speed.cores, "core"),
      speed.images_per_processor_second());
}

}  // namespace convoy::report
