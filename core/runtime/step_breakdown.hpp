#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace convoy::runtime {

// The parts of a mean timed step on this host, in seconds, averaged over its devices. The five
// parts add up to the step.
struct StepBreakdown {
  struct Operations {
    double per_step = 0;  // how many, of all devices and hosts
    double seconds = 0;   // per step, likewise
  };

  std::int64_t steps = 0;  // that it is the mean of; 0: nothing is known
  double seconds = 0;
  double compute = 0;      // the device ran forward or backward
  double aggregation = 0;  // it did not, but something else ran: copies, sums, updates, or another
                           // device that this one has to wait for
  double network = 0;      // nothing ran and something was on its way from or to another host
  double input_wait = 0;   // nothing ran and the host waited for a batch
  double executor = 0;     // nothing ran for no such reason: gaps between operations
  std::map<std::string, Operations, std::less<>> operations;  // by kind, as it is written
  // `network` by the number of the other host; each of several that were waited for counts.
  std::map<std::uint32_t, double> network_by_host;
};

}  // namespace convoy::runtime
