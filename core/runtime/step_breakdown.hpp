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
    double per_step = 0;  // operations of this kind per step, on all devices and hosts
    double seconds = 0;   // seconds per step, likewise
  };

  std::int64_t steps = 0;  // the number of steps in the mean; 0: nothing is known
  double seconds = 0;
  double compute = 0;      // the device ran forward or backward
  double aggregation = 0;  // it did not, but other operations ran: copies, sums, updates, or
                           // another device that this one has to wait for
  double network = 0;      // nothing ran, and a message to or from another host was under way
  double input_wait = 0;   // nothing ran and the host waited for a batch
  double executor = 0;     // nothing ran for another reason: gaps between operations
  std::map<std::string, Operations, std::less<>> operations;  // by the kind's name
  // `network` by the number of the other host. If several hosts are waited for, the time counts for
  // each.
  std::map<std::uint32_t, double> network_by_host;
};

}  // namespace convoy::runtime
