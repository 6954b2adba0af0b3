#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/select/decision.hpp"

namespace convoy::select {

// Returns a checksum of a decision as JSON. Without it, a damaged decision could be read as another
// one.
std::string decision_checksum(const nlohmann::ordered_json& decision);

// Keeps the decisions of earlier runs, one file each. The key is a text of everything that a
// decision depends on. A file that cannot be read or written is reported and treated as missing.
class DecisionCache {
 public:
  using Tell = std::function<void(const std::string&)>;

  // With an empty path, it keeps nothing.
  DecisionCache(std::filesystem::path folder, Tell tell);

  // Returns the decision, marked as remembered.
  std::optional<Decision> find(const std::string& circumstances) const;
  void remember(const std::string& circumstances, const Decision& decision) const;

  // Returns the file of a decision.
  std::filesystem::path file_of(const std::string& circumstances) const;

 private:
  std::nullopt_t unreadable(const std::filesystem::path& file, const std::string& problem) const;

  std::filesystem::path folder_;
  Tell tell_;
};

}  // namespace convoy::select
