#include "core/base/text/style_sheet.hpp"

#include <gtest/gtest.h>

namespace convoy {
namespace {

TEST(StyleSheet, WithoutVariablesHasTheValuesOfBothBlocksInTheirPlaces) {
  EXPECT_EQ(without_variables(":root { --ink: #000; --wide: rgba(1, 2, 3, .5); }\n"
                              "@media (prefers-color-scheme: dark) {\n  :root { --ink: #fff; }\n}\n"
                              ".a { fill: var(--ink); stroke: var(--wide); }\n.b { x: 1; }\n"),
            "\n.a { fill: #000; stroke: rgba(1, 2, 3, .5); }\n.b { x: 1; }\n\n"
            "@media (prefers-color-scheme: dark) {\n"
            ".a { fill: #fff; stroke: rgba(1, 2, 3, .5); }\n.b { x: 1; }\n}\n");
}

}  // namespace
}  // namespace convoy
