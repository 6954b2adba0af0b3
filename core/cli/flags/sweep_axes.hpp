#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/cli/flags/run_flags.hpp"

namespace convoy::cli {

// A flag of `convoy simulate` with several values.
struct SweepAxis {
  std::string flag;
  std::vector<std::string> values;  // at least one
  bool is_swept = true;             // false: numbers of devices, which a table of their own shows
};

// Every combination of the values of some flags: --platform, --model, --variable_update,
// --batch_size, --hosts and the numbers of devices. The last flag changes first.
class SweepAxes {
 public:
  // Reads the flags of the command line, its flag files and the environment. Error kUsage for an
  // empty value in a list.
  explicit SweepAxes(std::span<const std::string> arguments);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  // Returns the number of combinations; 1 if no flag has several values.
  std::size_t size() const;
  // Returns whether a swept flag has several values.
  bool is_sweep() const;
  // Returns the value of every flag at a point, in the order of axes().
  std::vector<std::string> values_at(std::size_t point) const;
  // The same, as flags: "--model=lenet".
  std::vector<std::string> flags_at(std::size_t point) const;

 private:
  std::vector<SweepAxis> axes_;
};

// --hosts and --batch_size for lists of numbers. The options get the last number.
std::vector<FlagDefinition> swept_number_flags(JobOptions& options);

}  // namespace convoy::cli
