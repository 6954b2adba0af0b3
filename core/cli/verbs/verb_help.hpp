#pragma once

#include <string>

namespace convoy::cli {

// A verb as completion and the manual see it.
struct VerbHelp {
  std::string name;
  std::string summary;
  std::string help;  // of all its flags
};

}  // namespace convoy::cli
