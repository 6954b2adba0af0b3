#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

namespace convoy::benchmarks {

// Takes a benchmark's own flags out of the arguments, --rounds=N and --steps=N and those of which
// is_own(text) says so, and leaves Google Benchmark's.
template <typename Settings, typename IsOwn>
void take_own_flags(int& count, char** arguments, Settings& settings, const IsOwn& is_own) {
  const auto taken = [&](const std::string& text) {
    return is_own(text) || std::sscanf(text.c_str(), "--rounds=%d", &settings.rounds) == 1 ||
           std::sscanf(text.c_str(), "--steps=%d", &settings.steps) == 1;
  };
  count = static_cast<int>(std::remove_if(arguments + 1, arguments + count, taken) - arguments);
  settings.rounds = std::max(settings.rounds, 1);
  settings.steps = std::max(settings.steps, 1);
}

}  // namespace convoy::benchmarks
