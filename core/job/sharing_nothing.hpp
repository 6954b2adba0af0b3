#pragma once

#include <string>

#include "core/plugin/catalog.hpp"

namespace convoy::job {

// An installed strategy whose claim is that devices share nothing, to measure what each device can
// do alone. Error kUnavailable if there is none; it names the `verb` that needs it.
FoundPlugin strategy_that_shares_nothing(const Catalog& catalog, const std::string& verb);

}  // namespace convoy::job
