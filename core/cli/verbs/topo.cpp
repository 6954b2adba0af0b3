#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/base/text/json.hpp"
#include "core/cli/flags/bind.hpp"
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
#include "topology/write/lost_facts.hpp"
#include "topology/write/print_machine.hpp"

namespace convoy::cli {
namespace {

struct TopoOptions {
  std::optional<std::string> topology;
  std::optional<std::string> platform;
  std::optional<std::uint32_t> hosts;
  bool sources = false;
  bool json = false;
  std::optional<std::string> svg;
  std::optional<std::string> html;
  std::string exported_form;
  std::string json_file;  // empty: JSON is printed
};

std::vector<FlagDefinition> topo_flags(TopoOptions& options) {
  FlagDefinition exported = bind_words("export", options.exported_form, {"lstopo", "nccl"},
                                       "Print the machine for other programs.");
  exported.default_value.reset();
  return {
      bind_flag("topology", options.topology,
                "A machine from a file: lstopo's XML, an NCCL topology dump, or the output of "
                "nvidia-smi topo -m or convoy topo --json."),
      bind_flag("platform", options.platform,
                "A described machine: a name that `convoy list platforms` shows, or a file; "
                "NAME:2+OTHER:3 for unlike hosts."),
      bind_flag("hosts", options.hosts, Bounds{1, topology::kMostHosts},
                "Number of such machines on one network; with --platform or --topology."),
      bind_flag("sources", options.sources, "Every fact with its source."),
      bind_flag("json", options.json,
                "JSON with everything that is known; --json=FILE writes it to a file."),
      bind_flag("svg", options.svg, "Write a picture to this file."),
      bind_flag("html", options.html, "Write a page with the picture and the tables to this file."),
      std::move(exported)};
}

constexpr VerbUsage kTopoUsage = {
    "topo [flags]", "Shows a machine: its tree with link speeds, NVLink, shared uplinks."};

// --json may have a value or none, so its value is taken out before the other flags are read.
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
  return form == "nccl" ? topology::write_nccl_dump(machine, catalogue)
                        : topology::write_hwloc_xml(machine);
}

// Predictions for the converted machine differ because its format cannot express everything.
void tell_what_is_lost(const topology::Machine& machine, const std::string& form,
                       const topology::Catalogue& catalogue, std::ostream& err) {
  const bool nccl = form == "nccl";
  const std::vector<std::string> lost = nccl ? topology::lost_in_nccl_dump(machine, catalogue)
                                             : topology::lost_in_hwloc_xml(machine, catalogue);
  if (!lost.empty())
    err << fmt::format("convoy: {}'s form has no {}; convoy topo --json=FILE keeps them\n",
                       nccl ? "NCCL" : "lstopo", fmt::join(lost, ", no "));
}

// The default is the number of hosts that the platform lists, else 1.
std::uint32_t chosen_hosts(const TopoOptions& options) {
  if (options.platform) return topology::hosts_of_platform(*options.platform, options.hosts);
  if (options.hosts && !options.topology)
    fail(ExitCode::kUsage, "--hosts needs a described machine; add --platform or --topology");
  return options.hosts.value_or(1);
}

topology::Machine chosen_machine(const TopoOptions& options, const topology::Catalogue& catalogue) {
  if (options.topology && options.platform)
    fail(ExitCode::kUsage, "--topology and --platform describe two machines; give one of them");
  const std::uint32_t hosts = chosen_hosts(options);
  if (options.platform)
    return topology::read_platform(plugin::share_directory() / "platforms", *options.platform,
                                   hosts, catalogue)
        .machine;
  topology::Machine machine =
      options.topology ? topology::read_machine(*options.topology) : topology::detect_machine();
  topology::add_catalogue_facts(machine, catalogue);
  return hosts == 1 ? machine : topology::several_hosts(machine, hosts);
}

// This is checked before the work, not after it.
void check_files(const TopoOptions& options) {
  for (const auto& file : {options.svg, options.html})
    if (file) check_output_file(*file);
  if (!options.json_file.empty()) check_output_file(options.json_file);
  require_different_files(
      std::vector<FileOfFlag>{{"svg", options.svg.value_or("")},
                              {"html", options.html.value_or("")},
                              {"json", options.json_file},
                              {"topology", options.topology.value_or(""), true}});
}

void write_pictures(const TopoOptions& options, const topology::Machine& machine,
                    std::ostream& err) {
  for (const auto& [file, write] : {std::pair{options.svg, &topology::machine_svg},
                                    std::pair{options.html, &topology::machine_html}}) {
    if (!file) continue;
    write_output_file(*file, write(machine));
    err << "wrote " << *file << '\n';
  }
}

}  // namespace

int run_topo_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  TopoOptions options;
  options.json_file = take_json_file(words);
  const auto names = read_verb_arguments(words, kTopoUsage, topo_flags(options), out);
  if (!names) return static_cast<int>(ExitCode::kOk);
  if (!names->empty())
    fail(ExitCode::kUsage, "topo takes no name, but '{}' was given; try --topology={}",
         names->front(), names->front());
  check_files(options);
  const auto catalogue = topology::Catalogue::read(plugin::share_directory() / "catalogue");
  const topology::Machine machine = chosen_machine(options, catalogue);
  write_pictures(options, machine, err);
  if (!options.exported_form.empty())
    tell_what_is_lost(machine, options.exported_form, catalogue, err);
  const std::string& json_file = options.json_file;
  const std::string json =
      options.json ? json_text(topology::machine_to_json(machine), 2) + "\n" : std::string();
  if (!json_file.empty()) write_output_file(json_file, json);
  if (!options.exported_form.empty())
    out << exported(machine, options.exported_form, catalogue);
  else if (options.json && json_file.empty())
    out << json;
  else if (options.sources)
    topology::print_sources(out, machine);
  else if (!options.svg && !options.html && json_file.empty())
    topology::print_machine(out, machine);
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy::cli
