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

// One thing that a transport must do as convoy/abi/transport.h says. Every end runs check() at the
// same time, in a process of its own. It throws Wrong with what is wrong, Unsupported, or an Error
// when the transport fails.
struct TransportCase {
  std::string group;  // "messages"
  std::string name;   // "of all sizes"
  std::function<void(TransportEnd& end)> check;
  std::uint32_t ranks = 2;
  // Rank that ends, or stops, in the middle; CONVOY_NONE = nobody. Not tried under a launcher,
  // which would end all.
  std::uint32_t victim = CONVOY_NONE;
};

// Messages, order, credit, faults, the end of a peer and of the transport.
std::vector<TransportCase> transport_cases();

// Runs a case in processes of their own, which are gone afterwards: what a transport does to a
// process, a crash or a call that never returns, is its result. The caller has no other threads.
CaseResult run_forked(const plugin::TransportPlugin& plugin, const TransportCase& it,
                      double patience);

// Runs a case in the processes that the transport's launcher started together: each of them calls
// this, in the same order of cases. `number` counts the cases. After a wrong result the processes
// may not meet any more: no other case can run. A call that never returns ends the process after so
// many seconds.
CaseResult run_launched(const plugin::TransportPlugin& plugin, const TransportCase& it,
                        std::uint32_t number, unsigned patience);

// What is wrong with waiting for messages, if anything is: seconds of rounds, a small message and
// its answer each, beside those of meetings of the same processes.
std::optional<std::string> fault_of_answers(const std::vector<double>& rounds,
                                            const std::vector<double>& meetings);

// What is wrong with how threads spent a wait of `seconds` in which nothing happened, if anything
// is: they computed for a tenth or more of the time in which they had a processor or needed none.
std::optional<std::string> fault_of_waiting(const std::vector<ThreadSeconds>& threads,
                                            double seconds);

// The cases by file.
void add_message_cases(std::vector<TransportCase>& cases);
void add_credit_cases(std::vector<TransportCase>& cases);
void add_refusal_cases(std::vector<TransportCase>& cases);
void add_waiting_cases(std::vector<TransportCase>& cases);
void add_ending_cases(std::vector<TransportCase>& cases);

}  // namespace convoy::conformance
