#pragma once

namespace convoy {

// True in builds with a sanitizer, which look for defects of memory and threads. There, tests that
// try thousands of plans take a sample of them: all of them are tried without one, many times
// faster. And what waits for others waits longer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace convoy
