#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <ostream>

#include "core/base/error.hpp"
#include "core/base/nearest.hpp"
#include "core/base/version.hpp"
#include "core/cli/flags/flag_file.hpp"
#include "core/cli/verbs/calibrate.hpp"
#include "core/cli/verbs/check.hpp"
#include "core/cli/verbs/compare.hpp"
#include "core/cli/verbs/diff.hpp"
#include "core/cli/verbs/doctor.hpp"
#include "core/cli/verbs/info.hpp"
#include "core/cli/verbs/launch.hpp"
#include "core/cli/verbs/list.hpp"
#include "core/cli/verbs/new.hpp"
#include "core/cli/verbs/plan.hpp"
#include "core/cli/verbs/report.hpp"
#include "core/cli/verbs/run.hpp"
#include "core/cli/verbs/simulate.hpp"
#include "core/cli/verbs/topo.hpp"

namespace convoy {
namespace {

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);
  bool has_job = false;  // it takes the flags of a run
};

constexpr Verb kVerbs[] = {
    {"run", "train and measure (the main job)", run_training_verb, true},
    {"launch", "the tasks of a run on several hosts, here", run_launch_verb},
    {"list", "plug-ins: kind, name, version, claim, path", run_list},
    {"info", "a plug-in's description and options", run_info},
    {"plan", "show the plan a strategy writes", run_plan_verb, true},
    {"check", "prove what a strategy computes; test what a device computes", run_check_verb, true},
    {"simulate", "how fast a run would be on a described machine", run_simulate_verb, true},
    {"compare", "strategies x numbers of devices x models, one table", run_compare_verb, true},
    {"report", "one offline page of any records, with pictures", run_report_verb},
    {"diff", "whether one run is faster than another, with statistics", run_diff_verb},
    {"calibrate", "measure this machine for simulate and auto", run_calibrate_verb},
    {"topo", "the machine: tree, link speeds, NVLink, shared uplinks", run_topo_verb},
    {"doctor", "is this machine ready, and what to do", run_doctor_verb},
    {"new", "a plug-in project to start from", run_new},
};

int run_verb(const Verb& verb, std::span<const std::string> arguments, std::ostream& out,
             std::ostream& err) {
  if (!verb.has_job) return verb.run(arguments, out, err);
  return verb.run(expand_flag_files(arguments), out, err);
}

void print_help(std::ostream& out) {
  out << "convoy " << kVersion << ": trains convolutional networks on several devices and measures "
      << "how fast.\n\nUsage: convoy VERB [arguments]; convoy VERB --help says more.\n\n";
  for (const Verb& verb : kVerbs) out << fmt::format("  {:<11}{}\n", verb.name, verb.summary);
  out << "\nExit codes: 0 ok, 1 failed, 2 usage, 3 environment, device or plug-in unavailable,\n"
         "4 threshold missed, 5 numerical failure, 6 timeout, 130/143 interrupted (Ctrl-C, "
         "SIGTERM)\n"
         "after a partial summary.\n";
}

}  // namespace

int run_command(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  if (arguments.empty()) {
    print_help(err);
    return static_cast<int>(ExitCode::kUsage);
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(out);
    return 0;
  }
  if (name == "--version") {
    out << "convoy " << kVersion << '\n';
    return 0;
  }
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return run_verb(verb, arguments.subspan(1), out, err);
    names.emplace_back(verb.name);
  }
  const std::vector<std::string> similar = nearest_names(name, names);
  fail(ExitCode::kUsage, "'{}' is not a verb of convoy{}; convoy --help lists them", name,
       similar.empty() ? std::string() : fmt::format(", did you mean '{}'?", similar.front()));
}

}  // namespace convoy
