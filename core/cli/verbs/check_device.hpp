#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy::cli {

// convoy check DEVICE: runs the cases of core/conformance and prints one line per case, followed by
// its errors. Exit code kOk when at least one case is right and none is wrong, else kFailed;
// kTimeout when the device hangs.
int run_check_device(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// Its own flags, as help shows them.
std::string check_device_help();

}  // namespace convoy::cli
