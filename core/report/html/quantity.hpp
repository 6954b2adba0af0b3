#pragma once

#include <string>
#include <vector>

namespace convoy::report {

// The kind of a number.
enum class Unit { kNumber, kSeconds, kBytes, kRate, kShare, kWatts, kCelsius, kMegahertz };

struct Interval {
  double low = 0;
  double high = 0;
};

// The form of the numbers of one axis or column: value * factor, followed by the suffix.
struct Scale {
  double factor = 1;
  std::string suffix;  // "ms", "images/s", "%"; empty for plain numbers
};

// Returns a scale that suits numbers up to `largest`.
Scale scale_for(Unit unit, double largest);

// Returns "26.4 ms", "1,736 images/s", "73 %": three significant digits, more for large numbers,
// and no decimals for whole numbers.
std::string quantity(double value, Unit unit);
// Returns a number without its unit.
std::string plain_number(double value);

// Returns the tick values of an axis from 0: four to seven round values, the last one at or above
// `largest`; only whole ones if `whole`.
std::vector<double> ticks_up_to(double largest, const Scale& scale, bool whole, int most = 6);
// The same for round values from `low` to `high`; from 0 on if low is 0.
std::vector<double> ticks_between(const Interval& range, const Scale& scale, bool whole,
                                  int most = 6);
// Returns a tick's label.
std::string tick_label(double value, const Scale& scale);

}  // namespace convoy::report
