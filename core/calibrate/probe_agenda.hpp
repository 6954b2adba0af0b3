#pragma once

#include <functional>
#include <string>
#include <vector>

namespace convoy::calibrate {

// One thing to measure, or to measure once more.
struct Probe {
  std::string name;     // for people; empty: nobody has to know when it is left out
  double work = 1;      // how long it takes, in a unit that all probes share
  bool needed = false;  // nothing can be foretold without it
  // Measures it. Returns false when there was nothing to do.
  std::function<bool()> measure;
};

// Measures probes, the most informative of which come first, within a time that they share: `now`
// tells seconds. Every probe shows how long the next ones will take. One begins only when it and
// the needed ones behind it are expected to end in time, a needed one always. Returns the names of
// those that were left out.
std::vector<std::string> measure_within(double seconds, const std::function<double()>& now,
                                        const std::vector<Probe>& probes);

}  // namespace convoy::calibrate
