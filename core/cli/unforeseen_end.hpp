#pragma once

namespace convoy::cli {

// From now on, the process says what ends it if nobody can catch that. One cause is an exception
// that leaves a thread because the system refused memory or a thread (code kUnavailable, as in
// main()). Another is a library that calls exit(), as the OpenMP runtime does (the same code).
// Called once, by main().
void tell_unforeseen_ends();

// Says that main() is about to return.
void end_is_foreseen();

}  // namespace convoy::cli
