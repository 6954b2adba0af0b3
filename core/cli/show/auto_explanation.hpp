#pragma once

#include <iosfwd>

#include "core/job/auto/auto_choice.hpp"
#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"

namespace convoy::cli {

// The candidates of --variable_update=auto, the hardware, the ranking and the decision.
struct Explanation {
  job::SimulatedHardware hardware;
  job::ChoiceSubject subject;
  select::Ranking ranking;
  select::Decision decision;
};

// Explains the choice on the hardware that the flags describe. Error as choose_for_dry_run().
Explanation explain(const job::Setup& setup);

// Prints the ranking and the decision, for people or as JSON.
void print_explanation(std::ostream& out, const job::Setup& setup, const Explanation& explanation,
                       bool as_json);

}  // namespace convoy::cli
