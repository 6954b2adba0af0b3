#pragma once

#include <string>
#include <string_view>

namespace convoy {

// Resolves the variables of a style sheet for programs that do not support CSS variables, such as
// Inkscape and librsvg: they would show everything black. `sheet` begins with the block
// `:root { ... }` of variables. Then comes `@media (prefers-color-scheme: dark) { :root { ... } }`,
// which changes some of them, and then the rules. The result has the rules with the values filled
// in, and the rules once more with the dark values in such a media block.
std::string without_variables(std::string_view sheet);

}  // namespace convoy
