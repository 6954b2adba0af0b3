#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy check TRANSPORT: what core/conformance finds, one line per case and what is wrong below
// it. Exit code kOk when something is right and nothing is wrong, else kFailed; kUnavailable when
// this process cannot open such a transport. A transport of a launcher is checked by the processes
// that it has started, of which the first one prints.
int run_check_transport(std::span<const std::string> arguments, std::ostream& out,
                        std::ostream& err);

// Its own flags, as help shows them.
std::string check_transport_help();

}  // namespace convoy
