#pragma once

#include <string>

#include "core/plugin/catalog.hpp"

namespace convoy::job {

// Returns an installed strategy that claims to share nothing between devices. It serves to measure
// each device alone. Error kUnavailable if there is none; it names the `verb` that needs it.
plugin::FoundPlugin strategy_that_shares_nothing(const plugin::Catalog& catalog,
                                                 const std::string& verb);

}  // namespace convoy::job
