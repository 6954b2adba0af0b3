#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// Whether `convoy check NAME` is about a device: NAME is one, by name or path, and no strategy has
// the name, too; "auto" is a strategy here. Error kUsage when both have.
bool names_device(std::span<const std::string> arguments);

// convoy check DEVICE: what core/conformance finds, one line per case and what is wrong below it.
// Exit code kOk when something is right and nothing is wrong, else kFailed; kTimeout when the
// device hangs.
int run_check_device(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// Its own flags, as help shows them.
std::string check_device_help();

}  // namespace convoy
