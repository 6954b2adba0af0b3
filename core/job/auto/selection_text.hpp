#pragma once

#include <string>

#include "core/select/decision.hpp"

namespace convoy::job {

// The texts in which a run reports the choice of --variable_update=auto.

// Returns the notice that step times differ from the prediction: by how much, and the likely cause.
std::string drift_text(double drift, const select::Decision& decision);

// Compares the measured median step with the predicted one; empty if nothing was predicted.
std::string prediction_text(const select::Decision& decision, double measured_seconds);

}  // namespace convoy::job
