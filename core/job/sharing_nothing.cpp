#include "core/job/sharing_nothing.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/check/check.hpp"

namespace convoy::job {

plugin::FoundPlugin strategy_that_shares_nothing(const plugin::Catalog& catalog,
                                                 const std::string& verb) {
  const auto found = std::ranges::find_if(catalog.plugins(), [](const plugin::FoundPlugin& plugin) {
    return plugin.manifest.kind == plugin::PluginKind::kStrategy &&
           plan::check::claims_to_share_nothing(plugin.manifest.claim);
  });
  if (found == catalog.plugins().end())
    fail(ExitCode::kUnavailable,
         "{} needs a strategy that shares nothing between devices, and none of the installed ones "
         "claims that; `convoy list` shows them, --plugin_path names more places",
         verb);
  return *found;
}

}  // namespace convoy::job
