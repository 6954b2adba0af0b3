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
  bool parameter_servers = false;   // tasks of their own
  bool on_host_processors = false;  // the devices are sets of the host's processors
  bool nvswitch = false;            // NVSwitches join the devices
  double gradient_megabytes = 0;    // of one replica, f32, 1 MB = 10^6 bytes
};

// A choice of flags, and why.
struct Selection {
  std::map<std::string, std::string> flags;  // "variable_update" and options of that strategy
  std::string because;
};

// Rules of thumb as data, first match wins. Throws Error kUnavailable when the file cannot be read
// or is not such a list: file and reason.
class SelectionRules {
 public:
  static SelectionRules read(const std::filesystem::path& file);

  // The first rule that matches the facts and whose strategy is installed; Error kUnavailable when
  // there is none.
  Selection choose(const SelectionFacts& facts,
                   const std::function<bool(const std::string& strategy)>& installed) const;

 private:
  struct Rule {
    int several_hosts = 0;        // rules are for one host unless they say otherwise
    int parameter_servers = -1;   // -1: any
    int on_host_processors = -1;  // -1: any
    int nvswitch = -1;            // -1: any
    double minimum_megabytes = 0;
    double maximum_megabytes = 0;  // 0: none
    Selection selection;
  };
  static bool matches(const Rule& rule, const SelectionFacts& facts);

  std::filesystem::path file_;
  std::vector<Rule> rules_;
};

}  // namespace convoy::select
