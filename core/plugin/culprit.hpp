#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.hpp"

namespace convoy {

// For a plug-in that did not come with this convoy and whose file is loaded: when its code, or what
// that calls, crashes the process or ends it, standard error names `label` and the process ends
// with code kUnavailable. Not in a copy of call_in_child(), whose parent says so; where somebody
// else handles a signal, as sanitizers do, that signal is theirs. Throws nothing; after 64 plug-ins
// the next ones go unnamed. For one thread at a time.
//
// Its code may also keep the process from ending, as a destructor of something static does that
// hangs. It may do so for `patience` seconds (0: for ever), see watch_ending().
void name_when_it_harms(const std::string& label, const std::filesystem::path& file,
                        double patience);

// To be called by the thread that ends the process, when all output is written: a plug-in of
// name_when_it_harms() whose code then holds up that thread for longer than its patience is named,
// and the process ends with code kUnavailable. Time in other code counts for nobody. Later calls
// do nothing, nor does one where somebody else handles SIGALRM. exit() calls it, too.
void watch_ending();

// Ends the process with the error's code, and its words on standard error: from where nothing may
// be thrown.
[[noreturn]] void end_with(const Error& error);

}  // namespace convoy
