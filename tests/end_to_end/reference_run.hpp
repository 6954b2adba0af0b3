#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace convoy {

nlohmann::json read_json(const std::string& path);

// The steps that a run of lenet from the reference fill and images of seed 1 records, without
// dropout and warm-up, on CPU devices unless `more`, which are further flags, names others.
nlohmann::json reference_steps(const std::vector<std::string>& more);

// What an independent implementation computed for lenet from there.
const nlohmann::json& golden_lenet();

// The losses of the first four steps are these, as near as float32 is to them.
void expect_golden_losses(std::vector<std::string> more, const nlohmann::json& golden);

}  // namespace convoy
