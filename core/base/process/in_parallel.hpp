#pragma once

#include <cstddef>
#include <functional>

namespace convoy {

// What require_no_other_work() throws. It is no error: in_parallel() deals with it.
struct OtherWorkGoesOn {};

// Calls work(0) ... work(count - 1) on as many threads as the machine has processors: each once,
// and those that throw OtherWorkGoesOn again, one after the other, when the other threads have
// ended. Rethrows one of the other exceptions then.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

// Two parts of work on `items` items, as in_parallel(): one after the other where a thread costs
// more than it saves.
void side_by_side(std::size_t items, const std::function<void()>& one,
                  const std::function<void()>& other);

// For what must not happen beside the threads of in_parallel(): work that may need all memory, or
// copying the process, because the copy has only the calling thread, and locks that others held
// stay locked in it. Throws OtherWorkGoesOn while there are such threads.
void require_no_other_work();

}  // namespace convoy
