#pragma once

#include <span>
#include <string>
#include <vector>

namespace convoy::cli {

// The names in the lists of a command with several jobs.
struct ListedNames {
  std::vector<std::string> models;
  std::vector<std::string> strategies;  // or "auto"
  std::vector<std::string> platforms;
};

// Looks all names up before the first job. If one does not exist, throws the Error that a single
// job would give: kUnavailable for plug-ins, kUsage for platforms. The arguments may have
// --plugin_path, and the data set by which models are found.
void require_known(const ListedNames& names, std::span<const std::string> arguments);

}  // namespace convoy::cli
