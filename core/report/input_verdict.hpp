#pragma once

#include <cstdint>
#include <string>

namespace convoy::report {

// How a run on real data spent its timed steps.
struct InputFacts {
  double images = 0;
  double seconds = 0;
  double wait_seconds = 0;  // part of them in which devices had nothing to do but wait for images
};

// Whether the input keeps up with the devices.
struct InputVerdict {
  double wait_share = 0;  // of the time
  double images_per_second = 0;
  double images_per_second_without_wait = 0;
  bool bound = false;  // waiting costs more than kBoundShare
};

// Differences below this are within what a run on real data may cost.
inline constexpr double kBoundShare = 0.03;

InputVerdict judge_input(const InputFacts& facts);

// One line for people.
std::string input_line(const InputVerdict& verdict);

// What the input alone delivers.
struct InputSpeed {
  std::int64_t images = 0;
  std::int64_t threads = 0;  // that read and decode
  std::int64_t cores = 0;    // that they had at most
  double seconds = 0;
  double processor_seconds = 0;  // of all threads

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
