#pragma once

#include "core/plan/operation.hpp"

namespace convoy {

// Spans and sizes of top_k, scatter, quantise and dequantise fit each other. Error kFailed.
void require_messages(const Operation& operation);

}  // namespace convoy
