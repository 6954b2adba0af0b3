#pragma once

#include <functional>
#include <string>
#include <vector>

namespace convoy::calibrate {

// One measurement, or its repetition.
struct Probe {
  std::string name;     // for people; empty if the user need not know that it was left out
  double work = 1;      // its duration, in a unit that all probes share
  bool needed = false;  // no prediction is possible without it
  // Measures. Returns false if there was nothing to do.
  std::function<bool()> measure;
};

// Runs probes within a common time, the most informative first. `now` returns the time in seconds.
// Every probe shows how long the next ones will take. A probe begins only if it and all needed
// probes after it are expected to end in time; needed probes always begin. Returns the names of the
// probes that were left out.
std::vector<std::string> measure_within(double seconds, const std::function<double()>& now,
                                        const std::vector<Probe>& probes);

}  // namespace convoy::calibrate
