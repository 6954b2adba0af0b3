#include "core/cli/verbs/verbs.hpp"

#include <charconv>
#include <cstdint>
#include <ostream>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/output_file.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/plugin/search_path.hpp"
#include "topology/catalogue/catalogue_facts.hpp"
#include "topology/catalogue/platform.hpp"
#include "topology/detect/detect.hpp"
#include "topology/graph/several_hosts.hpp"
#include "topology/read/machine_json.hpp"
#include "topology/read/nccl_reader.hpp"
#include "topology/read/read_machine.hpp"
#include "topology/write/hwloc_writer.hpp"
#include "topology/write/print_machine.hpp"

namespace convoy::cli {
namespace {

const std::vector<VerbFlag> kTopoFlags = {
    {"topology", true,
     "a file in place of this machine: lstopo's XML, an NCCL dump, nvidia-smi "
     "topo -m, or --json's"},
    {"platform", true,
     "a described machine: a name from share/platforms, or a file; NAME:2+OTHER:3 for unlike "
     "hosts"},
    {"hosts", true, "so many of them on one network; with --platform or --topology"},
    {"sources", false, "print every fact with where it comes from"},
    {"json", false, "print JSON, all that is known; --json=FILE writes it"},
    {"svg", true, "write a picture to this file"},
    {"html", true, "write a page with the picture and the tables to this file"},
    {"export", true, "print the machine for other programs: lstopo or nccl"},
    {"help", false, "print this"}};

// --json has a value or none: the value is taken out before the other flags are read.
std::string take_json_file(std::vector<std::string>& arguments) {
  std::string file;
  for (std::string& argument : arguments) {
    if (!argument.starts_with("--json=")) continue;
    file = argument.substr(7);
    if (file.empty()) fail(ExitCode::kUsage, "--json= names no file; --json alone prints");
    argument = "--json";
  }
  return file;
}

std::string exported(const topology::Machine& machine, const std::string& form,
                     const topology::Catalogue& catalogue) {
  if (form == "lstopo") return topology::write_hwloc_xml(machine);
  if (form == "nccl") return topology::write_nccl_dump(machine, catalogue);
  fail(ExitCode::kUsage, "--export={}: it must be lstopo or nccl", form);
}

// As many as the platform lists, else 1, when not given.
std::uint32_t chosen_hosts(const VerbArguments& given) {
  if (!given.has("hosts"))
    return given.has("platform") ? topology::hosts_of_platform(given.value("platform")).value_or(1)
                                 : 1;
  const std::string text = given.value("hosts");
  std::uint32_t hosts = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hosts);
  if (error != std::errc() || end != text.data() + text.size() || hosts < 1 ||
      hosts > topology::kMostHosts)
    fail(ExitCode::kUsage, "--hosts={} is not a number from 1 to {}", text, topology::kMostHosts);
  if (!given.has("topology") && !given.has("platform"))
    fail(ExitCode::kUsage, "--hosts is about described machines; add --platform or --topology");
  return hosts;
}

topology::Machine chosen_machine(const VerbArguments& given, const topology::Catalogue& catalogue) {
  if (given.has("topology") && given.has("platform"))
    fail(ExitCode::kUsage, "--topology and --platform: which of the two machines? give one");
  const std::uint32_t hosts = chosen_hosts(given);
  if (given.has("platform"))
    return topology::read_platform(share_directory() / "platforms", given.value("platform"), hosts,
                                   catalogue)
        .machine;
  topology::Machine machine = given.has("topology")
                                  ? topology::read_machine(given.value("topology"))
                                  : topology::detect_machine();
  topology::add_catalogue_facts(machine, catalogue);
  return hosts == 1 ? machine : topology::several_hosts(machine, hosts);
}

// Before the work, not after it.
void check_files(const VerbArguments& given, const std::string& json_file) {
  for (const char* picture : {"svg", "html"})
    if (given.has(picture)) check_output_file(given.value(picture));
  if (!json_file.empty()) check_output_file(json_file);
}

void write_pictures(const VerbArguments& given, const topology::Machine& machine,
                    std::ostream& err) {
  if (given.has("svg")) {
    write_output_file(given.value("svg"), topology::machine_svg(machine));
    err << "wrote " << given.value("svg") << '\n';
  }
  if (given.has("html")) {
    write_output_file(given.value("html"), topology::machine_html(machine));
    err << "wrote " << given.value("html") << '\n';
  }
}

}  // namespace

int run_topo_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  const std::string json_file = take_json_file(words);
  const VerbArguments given = parse_verb_arguments(words, kTopoFlags);
  if (given.has("help")) {
    out << verb_help("topo [flags]",
                     "Shows a machine: its tree with link speeds, NVLink, shared uplinks.",
                     kTopoFlags);
    return static_cast<int>(ExitCode::kOk);
  }
  if (!given.positional.empty())
    fail(ExitCode::kUsage, "topo takes no name, but '{}' was given; try --topology={}",
         given.positional.front(), given.positional.front());
  check_files(given, json_file);
  const auto catalogue = topology::Catalogue::read(share_directory() / "catalogue");
  const topology::Machine machine = chosen_machine(given, catalogue);
  write_pictures(given, machine, err);
  const std::string json =
      given.has("json") ? json_text(topology::machine_to_json(machine), 2) + "\n" : std::string();
  if (!json_file.empty()) write_output_file(json_file, json);
  if (given.has("export"))
    out << exported(machine, given.value("export"), catalogue);
  else if (given.has("json") && json_file.empty())
    out << json;
  else if (given.has("sources"))
    topology::print_sources(out, machine);
  else if (!given.has("svg") && !given.has("html") && json_file.empty())
    topology::print_machine(out, machine);
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy::cli
