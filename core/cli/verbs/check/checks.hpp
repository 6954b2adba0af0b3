#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "core/job/setup.hpp"

// The parts of `convoy check`, by the kind of plug-in.
namespace convoy::cli {

// convoy check STRATEGY: proves the plans that runs with these flags execute, then the plans for
// all kinds of devices and buckets, and prints the findings. counts: numbers of devices; empty: the
// usual ones. Exit code kOk if the strategy's claim is proved, kUnavailable if a kernel lacks the
// form for a device, else kFailed.
int check_strategy(const job::Setup& setup, const std::vector<std::uint32_t>& counts,
                   std::ostream& out);

// convoy check DEVICE: runs the cases of core/conformance and prints one line per case, followed by
// its errors. Exit code kOk when at least one case is right and none is wrong, else kFailed;
// kTimeout when the device hangs.
int run_check_device(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// Returns its own flags, as the help shows them.
std::string check_device_help();

// convoy check TRANSPORT: runs the cases of core/conformance and prints one line per case, followed
// by its errors. Exit code kOk when at least one case is right and none is wrong, else kFailed;
// kUnavailable when this process cannot open such a transport. A transport with a launcher is
// checked by the processes that the launcher has started; the first one prints.
int run_check_transport(std::span<const std::string> arguments, std::ostream& out,
                        std::ostream& err);

// Returns its own flags, as the help shows them.
std::string check_transport_help();

// `convoy check NAME --watch ...`: checks at once, and again whenever the plug-in's file has
// changed. Each check runs in its own process, because a plug-in stays loaded until its process
// ends. A file counts as changed if its time or size differs and both have stayed the same for a
// moment. So a file that is still being written is not checked, and a replaced file is noticed. A
// signal ends the loop. Error for a plug-in that does not exist.
int watch_check(std::vector<std::string> arguments, std::ostream& out);

}  // namespace convoy::cli
