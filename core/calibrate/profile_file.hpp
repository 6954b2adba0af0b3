#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/calibrate/machine_profile.hpp"

namespace convoy::calibrate {

// A machine's profile is stored as a JSON file.

std::string profile_text(const MachineProfile& profile);
// Reads a profile. Throws Error (kUsage) if a field is missing, negative or out of range, or if the
// file has a version that this program does not read. The error names the file, the line and the
// field, and says what to do.
MachineProfile read_profile(const std::filesystem::path& file);

// Reads the profile of this machine and sets its present memory. Returns nothing if there is no
// such file. Throws Error (kUsage) if the file belongs to another machine.
std::optional<MachineProfile> find_profile(const std::filesystem::path& file,
                                           const Fingerprint& here);

// Returns the path of the profile in the user's cache folder for convoy. Every kind of machine has
// its own file name, because machines may share a home folder. Empty if there is no cache folder.
std::filesystem::path default_profile_path(const Fingerprint& here);

}  // namespace convoy::calibrate
