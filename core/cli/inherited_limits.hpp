#pragma once

namespace convoy::cli {

// Adapts this process to the resource limits that it inherits, before it starts threads:
// - `ulimit -s`: a small stack is raised as far as it may be, for threads, too; Error kUnavailable
// if that is too little.
// - `ulimit -t`: a warning (SIGXCPU) comes some time before the end, if no earlier warning is set.
// - `ulimit -v`: memory that malloc only reserves (arenas) stays a small part of the limit.
void settle_inherited_limits();

}  // namespace convoy::cli
