#pragma once

#include <iosfwd>
#include <string>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Prints the machine for people: its tree with the speed of the link above each node, NVLink
// between the GPUs, which GPUs share which uplink, and the notes.
void print_machine(std::ostream& out, const Machine& machine);

// Prints what comes below the tree: NVLink, shared uplinks, notes.
void print_tables(std::ostream& out, const Machine& machine);

// Prints every fact, one per line: what, value, source.
void print_sources(std::ostream& out, const Machine& machine);

// Returns the machine as a picture: nested boxes, links towards the processors and NVLinks as lines
// with their rates, and a legend and the notes below. Of many equal hosts, the first is drawn in
// full.
std::string machine_svg(const Machine& machine);
// Returns a page with the picture and the tables.
std::string machine_html(const Machine& machine);

// Returns "15.8 GB/s" or "unknown".
std::string format_rate(const Fact<double>& rate);

}  // namespace convoy::topology
