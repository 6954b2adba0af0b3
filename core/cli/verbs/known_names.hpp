#pragma once

#include <span>
#include <string>
#include <vector>

namespace convoy::cli {

// What a command with several jobs names in its lists.
struct ListedNames {
  std::vector<std::string> models;
  std::vector<std::string> strategies;  // or "auto"
  std::vector<std::string> platforms;
};

// Looks all of them up before the first job. Error, as one job gives it, for one that does not
// exist: kUnavailable for plug-ins, kUsage for platforms. The arguments may have --plugin_path, and
// the data set by which models are found.
void require_known(const ListedNames& names, std::span<const std::string> arguments);

}  // namespace convoy::cli
