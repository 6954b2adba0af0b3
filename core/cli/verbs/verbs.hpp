#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy::cli {

// Runs `convoy <verb> ...`. The first argument is the verb, the others are its arguments. Results
// go to out, all other output to err. Returns the exit code of the process; throws Error.
int run_command(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// The verbs. `arguments` are those after the verb. Each function returns the exit code and throws
// Error for failures that a user can fix.

// convoy run: trains a model and prints images per second.
int run_training_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy launch: starts the tasks of a run on several hosts, all on this machine. Returns the exit
// code of the first task that fails.
int run_launch_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy list: every plug-in on the search path, and the files that it ignores, with the reason.
// Reads manifests; only devices and transports are loaded and asked whether they can be used.
int run_list(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy info NAME: the manifest of one plug-in and its options, or the tensors of a file. Loads
// models, devices and transports to describe them; strategies are not loaded.
int run_info(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy plan: prints the plan that a run with these flags executes, as text or for Graphviz,
// logical or lowered. The plan is for this machine's devices, for a described machine, or for hosts
// of which only the number is known. With auto, prints the ranking.
int run_plan_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy check: proves what a strategy's plans compute and compares it with the manifest's claim.
// It checks the plan that a run with these flags executes, and plans for other numbers of devices,
// bucket sizes and topologies. Returns 0 when the claim is kept, else 1.
int run_check_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy simulate: predicts how fast convoy run with the same flags would be on a described
// machine.
int run_simulate_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy compare: compares strategies x numbers of devices x models, run here or simulated on a
// described machine, in one table. Every cell runs in its own process, convoy run or convoy
// simulate with the remaining flags. So a cell that is refused, does not fit or crashes does not
// affect the others, and each starts from the same clean state. Returns 0 if any cell has a rate,
// else the first cell's code; 130 or 143 if it was interrupted, after the cells so far.
int run_compare_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy report: makes one offline page from the records in files.
int run_report_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy diff: decides with statistics whether one run is faster than another.
int run_diff_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy calibrate: measures this machine for simulate and auto.
int run_calibrate_verb(std::span<const std::string> arguments, std::ostream& out,
                       std::ostream& err);

// convoy topo: prints this machine, or one that a file describes, as text, JSON or a picture, or in
// the formats of other programs.
int run_topo_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy doctor: checks whether this machine is ready and says what to do. Returns 0 if nothing
// failed, else 3.
int run_doctor_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy new strategy|model|device|transport NAME: writes a plug-in project to start from.
int run_new(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy qualify: checks whether this machine, or this cluster, is as fast as it should be. Returns
// kThreshold if something is slow.
int run_qualify_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// convoy explain: says in words what the plan of a run with these flags does in a step, what was
// proved about it, and where a step waits on the machine.
int run_explain_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy::cli
