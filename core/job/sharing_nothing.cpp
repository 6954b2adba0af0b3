#include "core/job/sharing_nothing.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/check/check.hpp"

namespace convoy::job {

FoundPlugin strategy_that_shares_nothing(const Catalog& catalog, const std::string& verb) {
  const auto found = std::ranges::find_if(catalog.plugins(), [](const FoundPlugin& plugin) {
    return plugin.manifest.kind == PluginKind::kStrategy &&
           claims_to_share_nothing(plugin.manifest.claim);
  });
  if (found == catalog.plugins().end())
    fail(ExitCode::kUnavailable,
         "{} needs a strategy that shares nothing between devices, and none of the installed ones "
         "claims that; `convoy list` shows them, --plugin_path names more places",
         verb);
  return *found;
}

}  // namespace convoy::job
