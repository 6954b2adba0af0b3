#pragma once

#include <iosfwd>

#include "core/cli/auto_choice.hpp"
#include "core/cli/run_setup.hpp"
#include "core/cli/simulated_hardware.hpp"

namespace convoy {

// What --variable_update=auto compares, on what, and what comes of it.
struct Explanation {
  SimulatedHardware hardware;
  ChoiceSubject subject;
  Ranking ranking;
  Decision decision;
};

// On the hardware that the flags describe. Error like choose_imagined().
Explanation explain(const RunSetup& setup);

// The ranking with the decision, for people or as JSON.
void print_explanation(std::ostream& out, const RunSetup& setup, const Explanation& explanation,
                       bool as_json);

}  // namespace convoy
