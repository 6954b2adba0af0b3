#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "core/job/setup.hpp"

namespace convoy::cli {

// convoy check STRATEGY: proves the plans that runs with these flags execute, then those for all
// kinds of devices and buckets, and prints what is found. counts: of devices; empty: the usual
// ones. Exit code kOk when the strategy's claim is proved, kUnavailable when a kernel lacks the
// form for a device, else kFailed.
int check_strategy(const job::Setup& setup, const std::vector<std::uint32_t>& counts,
                   std::ostream& out);

}  // namespace convoy::cli
