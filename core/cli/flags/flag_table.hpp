#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cli/flags/flag.hpp"

namespace convoy::cli {

// The flags of one command, in the order in which help shows them. Options of plug-ins are added
// like any other flag before the command line is parsed.
class FlagTable {
 public:
  // Adds a flag. Error(kUnavailable) if the name is taken or if the definition contradicts itself
  // (a default that it would refuse). Both are mistakes in the declarations of plug-ins.
  void add(FlagDefinition flag);
  void add_all(std::vector<FlagDefinition> flags);
  // Adds flags. A flag that is known already is replaced.
  void replace_all(std::vector<FlagDefinition> flags);

  // Adds help for another plug-in's option of a known name, under a heading of its own. The command
  // line is parsed by the known flag.
  void add_namesake(FlagDefinition flag) { namesakes_.push_back(std::move(flag)); }
  const std::vector<FlagDefinition>& namesakes() const { return namesakes_; }

  // Makes the verb refuse a known flag, for this reason.
  void refuse(const std::string& name, const std::string& reason);

  // Returns the flag of that name, after resolving an alias; null if there is none. Valid until the
  // next add.
  const FlagDefinition* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  const std::vector<FlagDefinition>& flags() const { return flags_; }

  // Returns the known name that is most similar to this one; empty if none is close.
  std::string nearest(std::string_view name) const;

 private:
  std::vector<FlagDefinition> flags_;
  std::vector<FlagDefinition> namesakes_;
};

// Returns the help text by groups, with one line per sentence; fitted_text() breaks the lines.
// topic: empty for the common flags and a list of topics, "all" for every flag, else a word of the
// headings that are wanted, else a flag's name. Flags that are known but not honoured are only
// listed, at the end. Error(kUsage), with the headings, for a word that is in no heading and names
// no flag.
std::string flag_help(const FlagTable& table, const std::string& topic = {});

}  // namespace convoy::cli
