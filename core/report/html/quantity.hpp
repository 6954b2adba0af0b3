#pragma once

#include <string>
#include <vector>

namespace convoy::report {

// What a number counts.
enum class Unit { kNumber, kSeconds, kBytes, kRate, kShare, kWatts, kCelsius, kMegahertz };

struct Interval {
  double low = 0;
  double high = 0;
};

// How numbers of one axis or column are written: value * factor, followed by the suffix.
struct Scale {
  double factor = 1;
  std::string suffix;  // "ms", "images/s", "%"; empty for plain numbers
};

// Fits numbers up to `largest`.
Scale scale_for(Unit unit, double largest);

// "26.4 ms", "1,736 images/s", "73 %": three significant digits, more of large numbers, none behind
// the point of whole ones.
std::string quantity(double value, Unit unit);
// A number alone, without its unit.
std::string plain_number(double value);

// The values of an axis from 0: four to seven round ones, the last at or above `largest`. Whole
// ones only, if asked for.
std::vector<double> ticks_up_to(double largest, const Scale& scale, bool whole, int most = 6);
// Round values from `low` to `high`, likewise; from 0 on where low is 0.
std::vector<double> ticks_between(const Interval& range, const Scale& scale, bool whole,
                                  int most = 6);
// A tick's label.
std::string tick_label(double value, const Scale& scale);

}  // namespace convoy::report
