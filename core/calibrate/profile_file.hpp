#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/calibrate/machine_profile.hpp"

namespace convoy::calibrate {

// A machine's profile as a JSON file.

std::string profile_text(const MachineProfile& profile);
// Error kUsage that names the file, the line and the field of what is missing, negative, out of
// range or of a version that this program does not read, and says what to do.
MachineProfile read_profile(const std::filesystem::path& file);

// The one of this machine, with the memory that it has now: error kUsage when the file is another
// machine's; nothing when there is no such file.
std::optional<MachineProfile> find_profile(const std::filesystem::path& file,
                                           const Fingerprint& here);

// In the user's cache folder for convoy, with a name of its own for every kind of machine: home
// folders may be shared. Empty when there is no such folder.
std::filesystem::path default_profile_path(const Fingerprint& here);

}  // namespace convoy::calibrate
