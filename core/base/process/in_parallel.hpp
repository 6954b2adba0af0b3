#pragma once

#include <cstddef>
#include <functional>

namespace convoy {

// The exception that require_no_other_work() throws. It is not an error: in_parallel() handles it.
struct OtherWorkGoesOn {};

// Calls work(0) ... work(count - 1), each once, on as many threads as the machine has processors,
// and waits for these threads. If calls threw other exceptions than OtherWorkGoesOn, rethrows one
// of them. Otherwise repeats the calls that threw OtherWorkGoesOn, one after the other.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

// Runs two parts of the work on `items` items with in_parallel(). Runs them one after the other if
// there are so few items that a thread costs more than it saves.
void side_by_side(std::size_t items, const std::function<void()>& one,
                  const std::function<void()>& other);

// For work that must not run beside the threads of in_parallel(). This is work that may need all
// memory, or that forks the process: the copy has only the calling thread, and locks that other
// threads held stay locked in it. Throws OtherWorkGoesOn while there are such threads.
void require_no_other_work();

}  // namespace convoy
