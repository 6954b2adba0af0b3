#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/cli/flags/run_flags.hpp"

namespace convoy::cli {

// A flag of `convoy simulate` that takes several values, and its values.
struct SweepAxis {
  std::string flag;
  std::vector<std::string> values;  // one at least
  bool is_swept = true;             // false: a table of its own shows them, numbers of devices
};

// Every combination of the values of some flags: --platform, --model, --variable_update,
// --batch_size, --hosts and the numbers of devices. The last flag changes first.
class SweepAxes {
 public:
  // The flags of the command line, its flag files and the environment. Error kUsage for an empty
  // value in a list.
  explicit SweepAxes(std::span<const std::string> arguments);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  // How many combinations; 1 when no flag has several values.
  std::size_t size() const;
  // Whether a flag that is swept has several values.
  bool is_sweep() const;
  // The value of every flag at one of them, in the order of axes().
  std::vector<std::string> values_at(std::size_t point) const;
  // The same as flags: "--model=lenet".
  std::vector<std::string> flags_at(std::size_t point) const;

 private:
  std::vector<SweepAxis> axes_;
};

// --hosts and --batch_size where lists of numbers are taken; the options get the last one.
std::vector<FlagDefinition> swept_number_flags(JobOptions& options);

}  // namespace convoy::cli
