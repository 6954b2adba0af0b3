#pragma once

#include <cstddef>
#include <functional>

namespace convoy {

// Calls work(0) ... work(count - 1), each once, on as many threads as the machine has processors.
// Rethrows one of the exceptions after all threads have ended.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace convoy
