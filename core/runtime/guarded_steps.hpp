#pragma once

#include "core/base/error.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::runtime {

// Runs `steps`. If they throw, it calls events.failing and waits for the operations in progress.
// After it throws, batches and devices may be destroyed.
template <typename Steps>
void run_guarded(Session& session, const TrainingEvents& events, Steps steps) {
  constexpr const char* kReason = "this task has failed; its own messages say why";
  try {
    steps();
  } catch (const Error& error) {
    if (events.failing) events.failing(error);
    session.cancel(kReason);
    throw;
  } catch (...) {
    session.cancel(kReason);
    throw;
  }
}

}  // namespace convoy::runtime
