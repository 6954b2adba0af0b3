#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/text/nearest.hpp"
#include "core/base/version.hpp"
#include "core/cli/flags/fitted_text.hpp"
#include "core/cli/flags/flag_file.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/verbs/verb_help.hpp"

namespace convoy::cli {
namespace {

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);
  bool has_job = false;  // the verb takes the flags of a run
};

constexpr Verb kVerbs[] = {
    {"run", "train a model and measure the speed", run_training_verb, true},
    {"launch", "start all tasks of a multi-host run on this machine", run_launch_verb},
    {"list", "list plug-ins: kind, name, version, claim, path", run_list},
    {"info", "show a plug-in's description and options", run_info},
    {"plan", "show the plan that a strategy writes", run_plan_verb, true},
    {"explain", "describe a step in words, and where it waits", run_explain_verb, true},
    {"check", "prove what a strategy computes; test what a device computes", run_check_verb, true},
    {"simulate", "predict how fast a run would be on another machine", run_simulate_verb, true},
    {"compare", "compare strategies, numbers of devices and models in one table", run_compare_verb,
     true},
    {"report", "make an offline HTML page from records", run_report_verb},
    {"diff", "tell whether one run is faster than another, with statistics", run_diff_verb},
    {"calibrate", "measure this machine for simulate and auto", run_calibrate_verb},
    {"topo", "show a machine: tree, link speeds, NVLink, shared uplinks", run_topo_verb},
    {"doctor", "tell whether this machine is ready, and what to do if not", run_doctor_verb},
    {"qualify", "tell whether this machine or cluster is as fast as it should be", run_qualify_verb,
     true},
    {"new", "create a plug-in project to start from", run_new},
};

const Verb* find_verb(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(kVerbs, [&](const Verb& verb) { return name == verb.name; });
  return found == std::end(kVerbs) ? nullptr : found;
}

int run_with_flag_files(const Verb& verb, std::span<const std::string> arguments, std::ostream& out,
                        std::ostream& err) {
  if (!verb.has_job) return verb.run(arguments, out, err);
  const std::vector<std::string> flags = expand_flag_files(arguments);
  // main() prints errors.
  std::ostream nowhere(nullptr);
  const bool quiet = find_switch(flags, "quiet");
  return verb.run(flags, out, quiet ? nowhere : err);
}

// The help of every verb is fitted to the terminal.
int run_verb(const Verb& verb, std::span<const std::string> arguments, std::ostream& out,
             std::ostream& err) {
  const auto own = arguments.first(static_cast<std::size_t>(
      // The words after "--" belong to another verb.
      std::ranges::find(arguments, "--") - arguments.begin()));
  if (!wants_help(own)) return run_with_flag_files(verb, arguments, out, err);
  std::ostringstream help;
  const int code = run_with_flag_files(verb, arguments, help, err);
  out << fitted_text(help.str());
  return code;
}

// The other words of the command line matter, because they may name a strategy that has flags of
// its own.
VerbHelp help_of(const std::string& name, std::span<const std::string> arguments) {
  const Verb& verb = *find_verb(name);
  std::vector<std::string> words(arguments.begin(), arguments.end());
  words.emplace_back("--help=all");
  std::ostringstream text;
  std::ostringstream complaints;
  run_verb(verb, words, text, complaints);
  return {name, verb.summary, text.str()};
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  return names;
}

// Called by the shells' completion scripts in share/completions.
void print_completions(std::span<const std::string> words, std::ostream& out) {
  if (!words.empty() && words.front() == "--") words = words.subspan(1);
  for (const std::string& word : completions(words, verb_names(), help_of)) out << word << '\n';
}

void print_manual(std::ostream& out) {
  std::vector<VerbHelp> verbs;
  for (const std::string& name : verb_names()) verbs.push_back(help_of(name, {}));
  out << manual_page(verbs);
}

void print_help(std::ostream& out) {
  std::string text = fmt::format(
      "convoy {}: trains convolutional networks on several devices and measures how "
      "fast.\n\nusage: convoy VERB [arguments]; convoy help VERB says more.\n\n",
      kVersion);
  for (const Verb& verb : kVerbs) text += fmt::format("  {:<11}{}\n", verb.name, verb.summary);
  out << fitted_text(
      text +
      "\nconvoy --version prints the version, convoy manual the manual page.\n\nExit codes: " +
      kExitCodes + "\n");
}

}  // namespace

int run_command(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  if (arguments.empty()) {
    print_help(err);
    return static_cast<int>(ExitCode::kUsage);
  }
  const std::string& name = arguments.front();
  if (name == "help" && arguments.size() > 1) {
    std::vector<std::string> words = {arguments[1], "--help"};
    if (arguments.size() > 2) words.back() += "=" + arguments[2];
    return run_command(words, out, err);
  }
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(out);
    return 0;
  }
  if (name == "complete") {
    print_completions(arguments.subspan(1), out);
    return 0;
  }
  if (name == "manual") {
    print_manual(out);
    return 0;
  }
  if (name == "--version" || name == "version") {
    out << "convoy " << kVersion << '\n';
    return 0;
  }
  if (const Verb* verb = find_verb(name)) return run_verb(*verb, arguments.subspan(1), out, err);
  const std::vector<std::string> similar = nearest_names(name, verb_names());
  fail(ExitCode::kUsage, "'{}' is not a verb of convoy; {}convoy --help lists them", name,
       similar.empty() ? std::string() : fmt::format("did you mean '{}'? ", similar.front()));
}

}  // namespace convoy::cli
