#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// convoy's own form of a machine, with every fact's source. Reading what was written gives the same
// machine, value for value.
nlohmann::ordered_json machine_to_json(const Machine& machine);

// Throws Error (kUsage) that names source, field and what is wrong with it: text that is not JSON,
// another version, missing fields, negative rates, nodes that do not exist or come before their
// parents.
Machine read_machine_json(std::string_view text, const std::string& source);

}  // namespace convoy::topology
