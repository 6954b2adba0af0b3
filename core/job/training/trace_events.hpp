#pragma once

#include <vector>

#include "core/report/trace.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// Returns the step as rows of a trace: the step itself and the waits for input inside it; the
// operations by device and lane; and, if the session's programs keep the times of layers, the
// layers in their operations. Workers that do not wait for each other have rows of their own.
std::vector<report::TraceEvent> trace_events(const runtime::Session& session,
                                             const runtime::StepTrace& trace);

}  // namespace convoy::job
