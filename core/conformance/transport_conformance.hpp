#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/process/thread_seconds.hpp"
#include "core/conformance/conformance.hpp"
#include "core/conformance/transport_end.hpp"
#include "core/plugin/transport_plugin.hpp"

namespace convoy::conformance {

// One requirement of convoy/abi/transport.h on a transport. Every end runs check() at the same
// time, in a process of its own. It throws Wrong with what is wrong, Unsupported, or an Error if
// the transport fails.
struct TransportCase {
  std::string group;  // "messages"
  std::string name;   // "of all sizes"
  std::function<void(TransportEnd& end)> check;
  std::uint32_t ranks = 2;
  // The rank of the end that dies or stops in the middle; CONVOY_NONE = none. Such cases do not run
  // under a launcher, which would end all processes.
  std::uint32_t victim = CONVOY_NONE;
};

// Returns cases about messages, order, credit, faults, the end of a peer and the end of the
// transport.
std::vector<TransportCase> transport_cases();

// Runs a case in processes of its own, which are gone afterwards. If a transport crashes a process,
// or a call never returns, this becomes the result. The caller must have no other threads.
CaseResult run_forked(const plugin::TransportPlugin& plugin, const TransportCase& it,
                      double patience);

// Runs a case in the processes that the transport's launcher started together. Each of them calls
// this, in the same order of cases. `number` counts the cases. After a wrong result the processes
// may not meet any more, so no other case can run. If a call does not return within `patience`
// seconds, the process ends.
CaseResult run_launched(const plugin::TransportPlugin& plugin, const TransportCase& it,
                        std::uint32_t number, unsigned patience);

// Returns what is wrong with waiting for messages, if anything. `rounds`: seconds for a small
// message and its answer. `meetings`: seconds for meetings of the same processes without the
// transport.
std::optional<std::string> fault_of_answers(const std::vector<double>& rounds,
                                            const std::vector<double>& meetings);

// Returns what is wrong with how threads spent a wait of `seconds` in which nothing happened, if
// anything. It is wrong if they computed for a tenth or more of the time in which they had a
// processor or needed none.
std::optional<std::string> fault_of_waiting(const std::vector<ThreadSeconds>& threads,
                                            double seconds);

// These functions add the cases of one source file each.
void add_message_cases(std::vector<TransportCase>& cases);
void add_credit_cases(std::vector<TransportCase>& cases);
void add_refusal_cases(std::vector<TransportCase>& cases);
void add_waiting_cases(std::vector<TransportCase>& cases);
void add_ending_cases(std::vector<TransportCase>& cases);

}  // namespace convoy::conformance
