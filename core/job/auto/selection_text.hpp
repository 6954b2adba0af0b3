#pragma once

#include <string>

#include "core/select/decision.hpp"

namespace convoy::job {

// What a run tells of the choice that --variable_update=auto made for it.

// Steps have left the prediction: how far, and what that may mean.
std::string drift_text(double drift, const select::Decision& decision);

// The measured median step beside the predicted one; empty when nothing was predicted.
std::string prediction_text(const select::Decision& decision, double measured_seconds);

}  // namespace convoy::job
