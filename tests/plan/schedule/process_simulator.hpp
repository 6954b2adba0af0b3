#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/plan/schedule/schedule.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {

// Runs some iterations of a lowered body as several processes would, each by its own schedule, see
// local_schedule(), in a random order. A send moves nothing before its receive is posted
// (rendezvous, no buffer anywhere); its two ends are done at different times, each lane's in order,
// and the bytes move at any time between. A collective over several processes starts when all of
// them have come to it, and ends at each by itself. Every process has at most two iterations in
// flight and knows nothing of the others but what they send. Empty when all ran, else why they
// could not go on.
std::optional<std::string> run_as_processes(const plan::Plan& lowered,
                                            const std::vector<plan::Schedule>& processes,
                                            std::uint64_t iterations, std::mt19937& random,
                                            Interpreter& interpreter);

}  // namespace convoy::testing
