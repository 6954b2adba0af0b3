#pragma once

#include "core/plan/lower/lowering.hpp"

namespace convoy {

// Expands a norm over the engines that serve its place, and into bounded pieces where one of them
// does not address what it reads: every piece gives a norm of its own, and the norm of those is the
// result. Norms that are reported stay in pieces, since the host adds up their squares.
void lower_norm(Lowering& lowering, const Operation& norm);

}  // namespace convoy
