#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace convoy::select {

// The facts that rules of thumb depend on.
struct SelectionFacts {
  bool several_hosts = false;
  bool parameter_servers = false;   // there are tasks that are parameter servers
  bool on_host_processors = false;  // the devices are sets of the host's processors
  bool nvswitch = false;            // the devices are connected by NVSwitches
  double gradient_megabytes = 0;    // size for one replica, f32, 1 MB = 10^6 bytes
};

// A choice of flags, with the reason.
struct Selection {
  std::map<std::string, std::string> flags;  // "variable_update" and options of that strategy
  std::string because;
};

// Rules of thumb as data; the first match wins. Throws Error kUnavailable, with the file and the
// reason, if the file cannot be read or is not a list of rules.
class SelectionRules {
 public:
  static SelectionRules read(const std::filesystem::path& file);

  // Returns the choice of the first rule that matches the facts and whose strategy is installed.
  // Error kUnavailable if there is none.
  Selection choose(const SelectionFacts& facts,
                   const std::function<bool(const std::string& strategy)>& installed) const;

 private:
  struct Rule {
    int several_hosts = 0;        // rules are for one host unless they say otherwise
    int parameter_servers = -1;   // -1: any
    int on_host_processors = -1;  // -1: any
    int nvswitch = -1;            // -1: any
    double minimum_megabytes = 0;
    double maximum_megabytes = 0;  // 0: no maximum
    Selection selection;
  };
  static bool matches(const Rule& rule, const SelectionFacts& facts);

  std::filesystem::path file_;
  std::vector<Rule> rules_;
};

}  // namespace convoy::select
