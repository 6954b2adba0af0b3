#pragma once

#include <stdexcept>

// The fields that only the later version of the ABI has. No host sets them, and one that does not
// know them has other memory where they would be: a plug-in must see zeros in either.
template <typename Struct>
void require_later_fields_zero([[maybe_unused]] const Struct& it) {
#ifdef CONVOY_LATER
  for (const auto field : it.later)
    if (field != 0) throw std::logic_error("a field that the host does not know is not zero");
#endif
}
