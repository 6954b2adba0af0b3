#pragma once

#include <string>

#include "core/base/system/system_root.hpp"
#include "core/job/auto/auto_choice.hpp"

namespace convoy::job {

// Returns, as text, everything that a choice of --variable_update=auto depends on: the program, the
// installed strategies, the model, the machine with its constants and the connections between its
// places, the devices with the driver that this system reports, and the command line. The files of
// plug-ins and of convoy's data count by path, size and modification time.
std::string decision_key(const Setup& setup, const SimulatedHardware& hardware,
                         const ChoiceSubject& subject, const SystemRoot& root = SystemRoot("/"));

}  // namespace convoy::job
