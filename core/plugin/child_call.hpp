#pragma once

#include <functional>
#include <string>

#include "core/base/error.hpp"
#include "core/plugin/catalog.hpp"

namespace convoy::plugin {

// Whether a plug-in came with this convoy: it lies beside the program or in the install prefix.
bool is_own(const FoundPlugin& plugin);

// The system cannot start a process. The plug-in is not at fault.
class NoProcess : public Error {
 public:
  using Error::Error;
};

// Runs `work`, which calls foreign code, in a forked copy of this process for at most `seconds`.
// Returns the text that `work` returned, up to 1 MiB. Throws an Error of `work` here. Throws Error
// kUnavailable, which names the plug-in, what it was doing and what happened, after a crash, an
// early exit, a timeout or, for plug-ins that did not come with this convoy, a change of their
// Surroundings. If this process is to end, see hurry_calls(), the Error has that code. Output and
// changes in memory are lost. Must not run beside the threads of in_parallel(), see
// require_no_other_work(). Throws NoProcess if the child cannot start.
std::string call_in_child(const FoundPlugin& plugin, const std::string& doing, double seconds,
                          const std::function<std::string()>& work);

// Whether this process is a copy that call_in_child() made.
bool is_child_call();

}  // namespace convoy::plugin
