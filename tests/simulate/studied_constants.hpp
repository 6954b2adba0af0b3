#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/simulate/published_tables.hpp"

namespace convoy::testing {

// One of the constants that predictions of the published tables rest on.
struct StudiedConstant {
  std::string name;
  // Makes it so many times as large.
  std::function<void(Foresight& foresight, double factor)> scale;
};

inline constexpr const char* kBridgesOfGce = "host bridge to processor, GCE";

// Those that were fitted, or whose value is an assumption.
const std::vector<StudiedConstant>& studied_constants();
const StudiedConstant& studied_constant(const std::string& name);

}  // namespace convoy::testing
