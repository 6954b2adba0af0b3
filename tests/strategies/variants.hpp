#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "core/plugin/context.hpp"

namespace convoy::testing {

// A strategy with options, and what it is to compute.
struct Variant {
  std::string strategy;
  plugin::OptionValues options = {};
  std::uint64_t parameters_lag = 0;  // steps between fetching parameters and computing on them
  std::uint64_t gradients_lag = 0;   // steps between computing a gradient and applying it
  bool exchange = true;              // false: every replica trains alone
  std::uint32_t fewest_devices = 1;
  std::uint32_t most_devices = 1024;
  std::string device = "cpu";

  std::string name() const;
};

// For GoogleTest.
void PrintTo(const Variant& variant, std::ostream* stream);

// Every choice that an option of a strategy offers, and the combinations that meet in one plan.
std::vector<Variant> all_variants();

}  // namespace convoy::testing
