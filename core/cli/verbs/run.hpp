#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// `convoy run`: trains a model and prints images per second. Returns the exit code.
int run_training_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
