#pragma once

#include <functional>
#include <string>

#include "core/plugin/catalog.hpp"

namespace convoy {

// Whether a plug-in came with this convoy: it lies beside the program or in the install prefix.
bool is_own(const FoundPlugin& plugin);

// Calls code of others where it harms nobody: `work` runs in a copy of this process, which is ended
// when `seconds` have passed. Gives the text that `work` gave, up to 1 MiB. What it throws as Error
// is thrown here; a crash, an early end and a deadline that passed are Error kUnavailable, which
// names the plug-in, what it was doing and what happened; when the process is to end, see
// hurry_calls(), that is an Error of its code. What `work` prints and changes in memory is lost.
// Not beside the threads of in_parallel(), see require_no_other_work().
std::string call_in_child(const FoundPlugin& plugin, const std::string& doing, double seconds,
                          const std::function<std::string()>& work);

// Whether this process is such a copy.
bool is_child_call();

}  // namespace convoy
