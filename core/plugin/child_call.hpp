#pragma once

#include <functional>
#include <string>

#include "core/base/error.hpp"
#include "core/plugin/catalog.hpp"

namespace convoy::plugin {

// Whether a plug-in came with this convoy: it lies beside the program or in the install prefix.
bool is_own(const FoundPlugin& plugin);

// The system gives no process, which is no fault of the plug-in.
class NoProcess : public Error {
 public:
  using Error::Error;
};

// Runs `work`, which calls foreign code, in a forked copy of this process for at most `seconds`.
// Returns the text that `work` returned, up to 1 MiB. An Error of `work` is thrown here. A crash,
// an early exit, a timeout and, of plug-ins that did not come with this convoy, a change of their
// Surroundings are Error kUnavailable, which names the plug-in, what it was doing and what
// happened; if this process is to end, see hurry_calls(), the Error has that code. Output and
// changes in memory are lost. Must not run beside the threads of in_parallel(), see
// require_no_other_work(). NoProcess if it cannot start.
std::string call_in_child(const FoundPlugin& plugin, const std::string& doing, double seconds,
                          const std::function<std::string()>& work);

// Whether this process is such a copy.
bool is_child_call();

}  // namespace convoy::plugin
