#pragma once

#include <string>
#include <string_view>

namespace convoy {

// A style sheet for programs that know no CSS variables, such as Inkscape and librsvg: they would
// show everything black. sheet begins with the block `:root { ... }` of variables, then has
// `@media (prefers-color-scheme: dark) { :root { ... } }` with other values of some of them, then
// rules. The result has the rules with the values instead, and once more with those for the dark.
std::string without_variables(std::string_view sheet);

}  // namespace convoy
