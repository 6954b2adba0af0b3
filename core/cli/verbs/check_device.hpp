#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy check DEVICE: what core/conformance finds, one line per case and what is wrong below it.
// Exit code kOk when something is right and nothing is wrong, else kFailed; kTimeout when the
// device hangs.
int run_check_device(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// Its own flags, as help shows them.
std::string check_device_help();

}  // namespace convoy
