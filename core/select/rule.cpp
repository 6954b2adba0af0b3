#include "core/select/rule.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"

namespace convoy::select {

SelectionRules SelectionRules::read(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in)
    fail(ExitCode::kUnavailable,
         "the rules for --variable_update=auto cannot be read from {}; is the installation "
         "complete? Otherwise name a strategy with --variable_update",
         file.string());
  SelectionRules result;
  result.file_ = file;
  try {
    const nlohmann::json document = parse_json(in);
    for (const nlohmann::json& entry : document.at("rules")) {
      Rule rule;
      rule.several_hosts = entry.value("several_hosts", false) ? 1 : 0;
      if (entry.contains("parameter_servers"))
        rule.parameter_servers = entry.at("parameter_servers").get<bool>() ? 1 : 0;
      if (entry.contains("on_host_processors"))
        rule.on_host_processors = entry.at("on_host_processors").get<bool>();
      if (entry.contains("nvswitch")) rule.nvswitch = entry.at("nvswitch").get<bool>();
      rule.minimum_megabytes = entry.value("minimum_gradient_mb", 0.0);
      rule.maximum_megabytes = entry.value("maximum_gradient_mb", 0.0);
      rule.selection.flags = entry.at("use").get<std::map<std::string, std::string>>();
      rule.selection.because = entry.at("because").get<std::string>();
      if (!rule.selection.flags.contains("variable_update"))
        fail(ExitCode::kUnavailable, "{}: a rule does not say which variable_update to use",
             file.string());
      result.rules_.push_back(std::move(rule));
    }
  } catch (const nlohmann::json::exception& error) {
    fail(ExitCode::kUnavailable, "{} is not a list of rules: {}", file.string(),
         json_problem(error));
  }
  return result;
}

bool SelectionRules::matches(const Rule& rule, const SelectionFacts& facts) {
  if ((rule.several_hosts == 1) != facts.several_hosts) return false;
  if (rule.parameter_servers >= 0 && (rule.parameter_servers == 1) != facts.parameter_servers)
    return false;
  if (rule.on_host_processors >= 0 && (rule.on_host_processors == 1) != facts.on_host_processors)
    return false;
  if (rule.nvswitch >= 0 && (rule.nvswitch == 1) != facts.nvswitch) return false;
  if (facts.gradient_megabytes < rule.minimum_megabytes) return false;
  return rule.maximum_megabytes == 0 || facts.gradient_megabytes <= rule.maximum_megabytes;
}

Selection SelectionRules::choose(
    const SelectionFacts& facts,
    const std::function<bool(const std::string& strategy)>& installed) const {
  for (const Rule& rule : rules_)
    if (matches(rule, facts) && installed(rule.selection.flags.at("variable_update")))
      return rule.selection;
  fail(ExitCode::kUnavailable,
       "no rule in {} fits {} with an installed strategy; name one with --variable_update (convoy "
       "list shows them)",
       file_.string(), facts.on_host_processors ? "the host's processors" : "accelerators");
}

}  // namespace convoy::select
