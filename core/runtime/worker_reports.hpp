#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/training_loop.hpp"

namespace convoy {

// What tasks tell each other of strands when asynchronous training pauses or ends: lines of text.

// Where each of a worker's strands will have got to, and why the tasks meet there.
struct LastSteps {
  std::map<std::uint32_t, std::int64_t> by_strand;
  bool stopped = false;  // somebody wants the run to end before its time
  bool over = false;     // it ends
};
std::string to_text(const LastSteps& own);
LastSteps last_steps_of_all(std::span<const std::string> texts);

// Speeds come from the hosts of replicas, staleness from those of masters: per strand, what this
// host knows. Joined, they are whole, by strand.
std::string to_text(std::span<const WorkerRecord> own);
std::vector<WorkerRecord> workers_of_all(std::span<const std::string> texts);

}  // namespace convoy
