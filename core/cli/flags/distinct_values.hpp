#pragma once

#include <string>
#include <vector>

namespace convoy::cli {

// Throws Error (kUsage) if a value of the list that a flag was given occurs twice: its row would
// stand twice in every table.
void require_distinct(const std::string& flag, const std::string& list,
                      const std::vector<std::string>& values);

}  // namespace convoy::cli
