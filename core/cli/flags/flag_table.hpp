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
  // Error(kUnavailable) when the name is taken or the definition contradicts itself (a default that
  // it would refuse): both come from plug-ins' declarations.
  void add(FlagDefinition flag);
  void add_all(std::vector<FlagDefinition> flags);
  // The same; a flag that is known already is replaced.
  void replace_all(std::vector<FlagDefinition> flags);

  // Help for another plug-in's option of a known name, under a heading of its own. The command line
  // is parsed by the known flag.
  void add_namesake(FlagDefinition flag) { namesakes_.push_back(std::move(flag)); }
  const std::vector<FlagDefinition>& namesakes() const { return namesakes_; }

  // The verb refuses it for this reason. It must be known.
  void refuse(const std::string& name, const std::string& reason);

  // The flag of that name, an alias resolved; null when there is none. Valid until the next add.
  const FlagDefinition* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  const std::vector<FlagDefinition>& flags() const { return flags_; }

  // The known name that is most like this one; empty when none is close.
  std::string nearest(std::string_view name) const;

 private:
  std::vector<FlagDefinition> flags_;
  std::vector<FlagDefinition> namesakes_;
};

// Help text by groups, a line for each sentence: fitted_text() breaks them. topic: empty for the
// common flags and a list of topics, "all" for every flag, else a word of the headings that are
// wanted, or else a flag's name. Flags that are known but not honoured are only listed at the end
// of everything. Error(kUsage) for a word that neither a heading nor a flag has, listing the
// headings.
std::string flag_help(const FlagTable& table, const std::string& topic = {});

}  // namespace convoy::cli
