#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy::cli {

// convoy check TRANSPORT: runs the cases of core/conformance and prints one line per case, followed
// by its errors. Exit code kOk when at least one case is right and none is wrong, else kFailed;
// kUnavailable when this process cannot open such a transport. A transport with a launcher is
// checked by the processes that the launcher has started; the first one prints.
int run_check_transport(std::span<const std::string> arguments, std::ostream& out,
                        std::ostream& err);

// Its own flags, as help shows them.
std::string check_transport_help();

}  // namespace convoy::cli
