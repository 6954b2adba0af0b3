#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"
#include "core/runtime/session.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {

// The first values of all variables as a session has them, each in its storage, padding zero.
std::vector<float> initial_parameters(const graph::Graph& graph, const graph::Arena& arena,
                                      std::uint64_t seed, bool hash, int threads);

// For an interpreter that starts from the values that the session starts with, and computes the
// gradients of the fake device.
InterpreterOptions interpreter_options(const runtime::Session& session, double rate);

}  // namespace convoy::testing
