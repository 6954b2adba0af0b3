#pragma once

namespace convoy::cli {

// What this process does about limits that whoever starts it has set, before it starts threads:
// - `ulimit -s`: a small stack is raised as far as it may be, for threads, too; Error kUnavailable
//   where that is too little.
// - `ulimit -t`: a warning (SIGXCPU) comes some time before the end, as long as no more than the
//   end is set.
// - `ulimit -v`: memory that is only reserved (arenas of malloc) stays a small part of it.
void settle_inherited_limits();

}  // namespace convoy::cli
