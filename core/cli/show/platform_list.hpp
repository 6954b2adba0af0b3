#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <ostream>

namespace convoy::cli {

// Prints the machines that a folder describes, for `--platform`, with their names and GPUs. For a
// file that cannot be read, prints the reason.
void print_platforms(const std::filesystem::path& share, std::ostream& out);

// Returns the same as {"platforms": [{name, gpus, gpu, source}, ...]}, with {name, problem} for a
// file that cannot be read.
nlohmann::ordered_json platforms_json(const std::filesystem::path& share);

}  // namespace convoy::cli
