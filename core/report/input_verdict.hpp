#pragma once

#include <cstdint>
#include <string>

namespace convoy::report {

// The timed steps of a run on real data.
struct InputFacts {
  double images = 0;
  double seconds = 0;
  double wait_seconds = 0;  // the part of `seconds` in which devices only waited for images
};

// The result of judging whether the input keeps up with the devices.
struct InputVerdict {
  double wait_share = 0;  // share of the time
  double images_per_second = 0;
  double images_per_second_without_wait = 0;
  bool bound = false;  // the wait is more than kBoundShare
};

// A smaller share is within the normal cost of a run on real data.
inline constexpr double kBoundShare = 0.03;

InputVerdict judge_input(const InputFacts& facts);

// Returns one line for people.
std::string input_line(const InputVerdict& verdict);

// The speed of the input alone.
struct InputSpeed {
  std::int64_t images = 0;
  std::int64_t threads = 0;  // threads that read and decode
  std::int64_t cores = 0;    // the most cores that they had
  double seconds = 0;
  double processor_seconds = 0;  // processor time of all threads

  double images_per_second() const { return static_cast<double>(images) / seconds; }
  double images_per_second_and_core() const {
    return images_per_second() / static_cast<double>(cores);
  }
  double images_per_processor_second() const {
    return static_cast<double>(images) / processor_seconds;
  }
};

std::string input_speed_line(const InputSpeed& speed);

}  // namespace convoy::report
