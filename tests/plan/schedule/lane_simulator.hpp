#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "core/plan/schedule/schedule.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {

// Runs some iterations of a lowered body in a random order that keeps nothing but the order of
// every lane and the waits of the schedule, with several iterations in flight. Empty when all ran,
// else why it could not go on.
std::optional<std::string> run_in_random_order(const plan::Plan& lowered,
                                               const plan::Schedule& schedule,
                                               std::uint64_t iterations, std::mt19937& random,
                                               Interpreter& interpreter);

// The same iterations in program order.
void run_in_program_order(const plan::Plan& lowered, std::uint64_t iterations,
                          Interpreter& interpreter);

// The first buffer (or optimizer state) whose bytes differ, by name.
std::optional<std::string> different_memory(const plan::Plan& plan, const Interpreter& a,
                                            const Interpreter& b);

}  // namespace convoy::testing
