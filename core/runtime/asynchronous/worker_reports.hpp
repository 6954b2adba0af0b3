#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <convoy/job_result.hpp>

namespace convoy::runtime {

// The reports on strands that tasks exchange when asynchronous training pauses or ends. They are
// lines of text. Error (kFailed) for a malformed line, and for too many or too few workers.

// The step at which each of a worker's strands pauses, and the reason of the meeting.
struct LastSteps {
  std::map<std::uint32_t, std::int64_t> by_strand;
  bool stopped = false;  // a task wants the run to end before its time
  bool over = false;     // the run ends
};
std::string to_text(const LastSteps& own);
LastSteps last_steps_of_all(std::span<const std::string> texts, std::uint32_t workers);

// Hosts with replicas know the speeds, and hosts with masters know the staleness. Each reports what
// it knows per strand; the joined records are complete.
std::string to_text(std::span<const WorkerRecord> own);
std::vector<WorkerRecord> workers_of_all(std::span<const std::string> texts, std::uint32_t workers);

}  // namespace convoy::runtime
