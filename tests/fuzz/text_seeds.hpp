#pragma once

#include <string>
#include <vector>

namespace convoy {

// Small valid inputs of the fuzzers that read texts which convoy writes or is installed with.

std::string calibration_text();
// What --variable_update=auto remembers.
std::string choice_text();
// A file of the catalogue, lists of entries cut to their last.
std::string catalogue_text(const std::string& file);

// What a machine with 8 GiB and a control group says, as system_fuzz takes it: `version` of control
// groups 1 or 2.
std::string system_texts(int version);

// What tasks tell each other, as task_texts_fuzz takes it.
std::vector<std::string> texts_of_tasks();

}  // namespace convoy
