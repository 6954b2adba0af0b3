#pragma once

#include <string>

#include "core/job/simulation.hpp"

namespace convoy {

// Writes a simulated step as execution traces PREFIX.RANK.et, and PREFIX.groups.json where
// collectives have groups. Its operations must have been kept. Returns a sentence about it.
std::string write_chakra(const job::SimulatedRun& run, const std::string& prefix);

}  // namespace convoy
