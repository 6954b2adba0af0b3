#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.hpp"

namespace convoy::plugin {

// Watches a loaded plug-in that did not come with this convoy: if its code, or code that it calls,
// crashes or ends the process, standard error names `label` and the process ends with code
// kUnavailable. Has no effect in a copy made by call_in_child(), whose parent reports it, and
// leaves signals alone that already have a handler, such as a sanitizer's. Throws nothing. At most
// 64 plug-ins are watched. For one thread at a time.
//
// The plug-in's code may also keep the process from ending, for example in a static destructor that
// hangs. It may do so for `patience` seconds (0: for ever), see watch_ending().
void name_when_it_harms(const std::string& label, const std::filesystem::path& file,
                        double patience);

// Called by the thread that ends the process, when all output is written. If a plug-in of
// name_when_it_harms() then holds up that thread for longer than its patience, standard error names
// it and the process ends with code kUnavailable. Time in other code does not count. Only the first
// call has an effect, and none if SIGALRM already has a handler. exit() calls it, too.
void watch_ending();

// Ends the process with the error's code and text, for places that must not throw.
[[noreturn]] void end_with(const Error& error);

}  // namespace convoy::plugin
