#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <ostream>

namespace convoy::cli {

// The machines that a folder describes, for `--platform`: name and GPUs. A file that cannot be read
// has its reason instead.
void print_platforms(const std::filesystem::path& share, std::ostream& out);

// The same as {"platforms": [{name, gpus, gpu, source}, ...]}, or {name, problem}.
nlohmann::ordered_json platforms_json(const std::filesystem::path& share);

}  // namespace convoy::cli
