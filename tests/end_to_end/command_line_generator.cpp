#include "tests/end_to_end/command_line_generator.hpp"

#include <fstream>
#include <sstream>

#include "tests/end_to_end/run_program.hpp"
#include "tests/support/pattern.hpp"

namespace convoy {
namespace {

using Arguments = std::vector<std::string>;

const std::string kSamples = std::string("--data_dir=") + CONVOY_SOURCE_DIR + "/share/sample_data";

const Arguments kSmall = {"--model=lenet",   "--device=cpu",    "--num_devices=1",
                          "--batch_size=1",  "--num_batches=1", "--num_warmup_batches=0",
                          "--join_timeout=5"};

// What else a run may be about.
const std::vector<Arguments> kSettings = {{},
                                          {"--num_devices=2"},
                                          {kSamples + "/imagenet"},
                                          {"--train_dir=kept"},
                                          {kSamples + "/imagenet", "--eval", "--train_dir=kept"},
                                          {"--forward_only"},
                                          {kSamples + "/imagenet", "--input_only"},
                                          {"--job_name=worker", "--worker_hosts=127.0.0.1:0"},
                                          {"--platform=dgx1-p100", "--device=cuda"}};

const Arguments kValues = {"",           "0",          "-1",
                           "2147483648", "4294967297", "9223372036854775807",
                           "1e308",      "nan",        "\xc3\xbc\xe6\xbc\xa2\xff"};

// In place of a file, a plug-in or a kind of project.
const Arguments kNames = {"",     ".",  "/",  "/dev/null",    "/dev/zero", "missing.json",
                          "a:b,", "--", "./", "\xc3\xbc\xff", "convoy"};

Arguments joined(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// As the help of this verb writes it: "(an integer from 1 to 4096; default 2)".
std::string largest_of(const std::string& line) {
  static const Pattern kRange(R"(\((?:an integer|a number) from \S+ to ([0-9]+))");
  const std::vector<std::string> found = kRange.first_in(line);
  return found.empty() ? std::string() : found[1];
}

// Without --quick, calibrate and qualify do all of their work, which takes what it takes.
bool is_left_out(const std::string& flag) {
  return flag == "help" || flag == "flagfile" || flag == "quick";
}

}  // namespace

std::string GeneratedLine::shown() const {
  std::string text;
  for (const std::string& argument : arguments) text += argument.substr(0, 100) + " ";
  return text;
}

CommandLineGenerator::CommandLineGenerator(std::uint64_t seed, std::filesystem::path folder)
    : random_(seed), folder_(std::move(folder)) {
  const std::string record = (folder_ / "record.json").string();
  run_convoy(joined({"run", "--output_file=" + record}, joined(kSmall, {"--num_batches=4"})));
  add_verb({.name = "run", .beginning = kSmall, .weight = 40, .of_a_run = true, .goes_on = true});
  for (const char* const verb : {"plan", "simulate", "explain"})
    add_verb({.name = verb, .beginning = kSmall, .weight = 15, .of_a_run = true});
  for (const char* const verb : {"topo", "list"})
    add_verb({.name = verb, .beginning = {}, .weight = 8});
  add_verb({.name = "check",
            .beginning = joined({"replicated"}, kSmall),
            .weight = 4,
            .of_a_run = true,
            .goes_on = true});
  add_verb({.name = "compare",
            .beginning = {"--simulate", "--models=lenet", "--num_devices=1", "--batch_size=1",
                          "--strategies=replicated"},
            .weight = 3});
  add_verb({.name = "report", .beginning = {record}, .weight = 3});
  add_verb({.name = "diff", .beginning = {record, record}, .weight = 3});
  add_verb({.name = "info", .beginning = {"lenet"}, .weight = 2});
  add_verb({.name = "new", .beginning = {"strategy", "scheme"}, .weight = 2});
  add_verb({.name = "doctor", .beginning = {}, .weight = 2});
  add_verb({.name = "calibrate",
            .beginning = {"--quick", "--device=cpu", "--calibration_file=rates.json"},
            .weight = 1,
            .goes_on = true});
  add_verb({.name = "qualify",
            .beginning = joined({"--quick"}, kSmall),
            .weight = 1,
            .of_a_run = true,
            .goes_on = true});
  add_verb({.name = "launch", .beginning = {"--workers=1"}, .weight = 1, .goes_on = true});
}

// Flags as help lists them, under the title of the strategy whose options they are.
void CommandLineGenerator::add_verb(Verb verb) {
  std::istringstream help(run_convoy({verb.name, "--help=all"}).out);
  static const Pattern kTitle("^strategy ([a-z0-9_]+):$");
  static const Pattern kFlag("^ +--([a-z][a-z0-9_]*)( .*|=.*|$)");
  static const Pattern kNames("--([a-z][a-z0-9_]*)");
  std::string strategy;
  for (std::string line; std::getline(help, line);) {
    if (const auto title = kTitle.groups_of(line); !title.empty()) {
      strategy = title[1];
      verb.topics.push_back("strategy " + strategy);
    } else if (line.ends_with(":") && !line.starts_with(" ")) {
      strategy.clear();
      verb.topics.push_back(line.substr(0, line.size() - 1));
    } else if (kFlag.is_all_of(line)) {
      for (const Pattern::Match& name : kNames.all_in(line))
        if (!is_left_out(name.groups[1]))
          verb.flags.push_back({name.groups[1], strategy, largest_of(line)});
    }
  }
  verbs_.push_back(std::move(verb));
}

const CommandLineGenerator::Verb& CommandLineGenerator::drawn_verb() {
  unsigned all = 0;
  for (const Verb& verb : verbs_) all += verb.weight;
  std::uint64_t left = below(all);
  for (const Verb& verb : verbs_) {
    if (left < verb.weight) return verb;
    left -= verb.weight;
  }
  return verbs_.front();
}

GeneratedLine CommandLineGenerator::next() {
  const Verb& verb = drawn_verb();
  if (one_in(20)) return {request_for_help(verb), false};
  Arguments line = joined({verb.name}, verb.beginning);
  if (one_in(20)) give_odd_names(line);
  if (verb.name == "run" || verb.name == "simulate") add_setting(line);
  std::string file;
  if (!verb.flags.empty())
    for (std::uint64_t flags = 1 + below(3); flags > 0; --flags) add_flag(verb, line, file);
  if (!file.empty()) {
    std::ofstream(folder_ / "flags") << file;
    line.emplace_back("--flagfile=flags");
  }
  if (verb.name == "launch") line = joined(joined(line, {"--"}), kSmall);
  return {line, verb.goes_on};
}

Arguments CommandLineGenerator::request_for_help(const Verb& verb) {
  if (one_in(4)) return {"help", one_in(2) ? verb.name : kNames[below(kNames.size())]};
  Arguments line{verb.name, "-h"};
  if (!verb.topics.empty() && one_in(2))
    line[1] = "--help=" + verb.topics[below(verb.topics.size())];
  else if (one_in(2))
    line[1] = "--help=" + kValues[below(kValues.size())];
  return one_in(2) ? line : joined(line, verb.beginning);
}

// One of what is no flag, or one more.
void CommandLineGenerator::give_odd_names(Arguments& line) {
  const std::string& name = kNames[below(kNames.size())];
  const std::size_t at = 1 + below(line.size());
  if (at < line.size() && !line[at].starts_with("--"))
    line[at] = name;
  else
    line.insert(line.begin() + 1, name);
}

void CommandLineGenerator::add_setting(Arguments& line) {
  const Arguments& setting = kSettings[below(kSettings.size())];
  line.insert(line.end(), setting.begin(), setting.end());
}

// The largest value would take as much of the machine as it says: that many tasks, or the memory of
// that many devices, each with variables of its own.
bool CommandLineGenerator::takes_machine(const Verb& verb, const Flag& flag) {
  const bool counts_devices = flag.name == "num_devices" || flag.name == "num_gpus";
  return verb.name == "launch" || (verb.goes_on && counts_devices);
}

// A megabyte goes through a file: the system limits arguments to 128 KiB.
void CommandLineGenerator::add_flag(const Verb& verb, Arguments& line, std::string& file) {
  const Flag& flag = verb.flags[below(verb.flags.size())];
  if (verb.of_a_run && verb.name != "check")
    line.push_back("--variable_update=" + (flag.strategy.empty() ? "replicated" : flag.strategy));
  const std::size_t choice = below(kValues.size() + 3);
  if (choice < kValues.size())
    line.push_back("--" + flag.name + "=" + kValues[choice]);
  else if (choice == kValues.size())
    line.push_back("--" + flag.name);
  else if (choice == kValues.size() + 1 && !takes_machine(verb, flag))
    line.push_back("--" + flag.name + (flag.largest.empty() ? "" : "=" + flag.largest));
  else
    file += "--" + flag.name + "=" + std::string(1 << 20, 'x') + "\n";
}

}  // namespace convoy
