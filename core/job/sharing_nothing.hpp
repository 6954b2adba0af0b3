#pragma once

#include <string>

#include "core/plugin/catalog.hpp"

namespace convoy::job {

// An installed strategy that claims that devices share nothing: what each can do shows with it.
// Error kUnavailable where there is none; `verb` needs it.
FoundPlugin strategy_that_shares_nothing(const Catalog& catalog, const std::string& verb);

}  // namespace convoy::job
