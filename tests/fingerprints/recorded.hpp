#pragma once

#include <string>
#include <vector>

namespace convoy::testing {

// Whether the tests write their data anew: the environment variable CONVOY_WRITE_FINGERPRINTS is
// set.
bool writes_fingerprints();

// tests/fingerprints/data/NAME.
std::string data_file(const std::string& name);

// Expects the file in tests/fingerprints/data to have just these lines, and shows the first ones
// that differ; or writes them to it, see writes_fingerprints().
void expect_recorded(const std::string& name, const std::vector<std::string>& lines);

// A hash as 16 digits.
std::string hex(std::uint64_t hash);

}  // namespace convoy::testing
