#pragma once

#include "core/plan/lower/lowering.hpp"

namespace convoy {

// Expands a norm over the engines that serve its place, and into bounded pieces if an engine does
// not address the memory that it reads. Every piece gives a norm, and the norm of these norms is
// the result. Reported norms stay in pieces, because the host adds their squares.
void lower_norm(Lowering& lowering, const Operation& norm);

}  // namespace convoy
