#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy::plugin {

enum class PluginKind { kStrategy, kModel, kDevice, kTransport };
inline constexpr std::array kPluginKinds = {PluginKind::kStrategy, PluginKind::kModel,
                                            PluginKind::kDevice, PluginKind::kTransport};
std::string_view to_string(PluginKind kind);

inline constexpr std::size_t kLongestName = 64;  // the longest name of a plug-in

enum class OptionType { kBool, kInt, kFloat, kString, kEnum };
std::string_view to_string(OptionType type);

// An option that a plug-in declares; it is a command line flag while the plug-in is selected.
struct OptionDeclaration {
  std::string name = {};
  OptionType type = OptionType::kString;
  std::string default_value = {};
  std::vector<std::string> allowed = {};  // empty: any value of the type
  std::string help = {};
};

// Values of some options that the plug-in's author considers worth comparing with others.
using Variant = std::vector<std::pair<std::string, std::string>>;

// A plug-in's description of itself, validated. The SDK header convoy/manifest.hpp describes the
// text form.
struct Manifest {
  PluginKind kind = PluginKind::kStrategy;
  std::string name;
  std::string version;
  std::string description;
  std::string claim;  // strategies: what the checker must confirm
  std::uint32_t abi_major = 0;
  std::uint32_t abi_minor = 0;
  std::vector<OptionDeclaration> options;
  std::vector<Variant> variants;   // strategies: what --variable_update=auto compares
  bool in_auto = true;             // strategies: --variable_update=auto may take it
  std::vector<std::string> needs;  // operation kinds
};

// Parses NUL-separated key=value text that ends with an empty entry. Throws ManifestError when the
// plug-in is for another major version of the ABI or the text breaks a rule.
Manifest parse_manifest(std::string_view text);

// The value in the form that plug-ins see: true or false for bool, otherwise unchanged. Throws
// std::invalid_argument saying what the option takes when the value does not fit.
std::string checked_option_value(const OptionDeclaration& option, std::string_view value);

}  // namespace convoy::plugin
