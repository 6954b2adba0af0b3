#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Converts a machine to convoy's own form, with every fact's source. Reading it back gives the same
// machine, value for value.
nlohmann::ordered_json machine_to_json(const Machine& machine);

// Reads that form. Throws Error (kUsage) that names source, field and problem: text that is not
// JSON, another version, missing fields, negative rates, nodes that do not exist or come before
// their parents.
Machine read_machine_json(std::string_view text, const std::string& source);

}  // namespace convoy::topology
