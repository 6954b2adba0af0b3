#pragma once

namespace convoy::cli {

// From here on, it is said what ends the process where nobody can catch it: an exception that
// leaves a thread, where the system gave no memory or no thread (code kUnavailable, as for main()),
// and a library that calls exit(), as the OpenMP runtime does (the same code). Called once, by
// main().
void tell_unforeseen_ends();

// main() is about to return.
void end_is_foreseen();

}  // namespace convoy::cli
