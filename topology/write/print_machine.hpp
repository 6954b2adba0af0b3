#pragma once

#include <iosfwd>
#include <string>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// The machine for people: its tree with the speed of the link above each node, NVLink between the
// GPUs, which GPUs share which uplink, and the notes.
void print_machine(std::ostream& out, const Machine& machine);

// What stands below the tree: NVLink, shared uplinks, notes.
void print_tables(std::ostream& out, const Machine& machine);

// Every fact, one per line: what, value, source.
void print_sources(std::ostream& out, const Machine& machine);

// The machine as a picture: boxes in boxes, links towards the processors and NVLinks as lines, with
// their rates; a legend and the notes below. Of many hosts that are alike the first is drawn
// whole.
std::string machine_svg(const Machine& machine);
// A page of it, with the tables.
std::string machine_html(const Machine& machine);

// "15.8 GB/s", "unknown".
std::string format_rate(const Fact<double>& rate);

}  // namespace convoy::topology
