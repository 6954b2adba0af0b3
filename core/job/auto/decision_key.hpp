#pragma once

#include <string>

#include "core/base/system/system_root.hpp"
#include "core/job/auto/auto_choice.hpp"

namespace convoy::job {

// Everything that a choice of --variable_update=auto depends on, as text: the program, the
// installed strategies, the model, the machine with its constants and how its places are
// joined, the devices with the driver that this system says it has, and what the command line says.
// The files of plug-ins and of convoy's data count by path, size and time of their last change.
std::string decision_key(const Setup& setup, const SimulatedHardware& hardware,
                         const ChoiceSubject& subject, const SystemRoot& root = SystemRoot("/"));

}  // namespace convoy::job
