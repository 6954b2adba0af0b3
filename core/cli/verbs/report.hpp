#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// `convoy report`: one offline page of the records in files.
int run_report_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
