#pragma once

#include <string>

#include "core/select/decision.hpp"

namespace convoy::job {

// The texts in which a run reports the choice of --variable_update=auto.

// The notice that step times have left the prediction: how far, and the likely cause.
std::string drift_text(double drift, const select::Decision& decision);

// The measured median step beside the predicted one; empty when nothing was predicted.
std::string prediction_text(const select::Decision& decision, double measured_seconds);

}  // namespace convoy::job
