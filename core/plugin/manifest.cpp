#include "core/plugin/manifest.hpp"

#include <convoy/abi/common.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <convoy/operation_traits.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "core/base/text/number.hpp"
#include "core/base/text/split.hpp"
#include "core/plugin/elf_manifest.hpp"

namespace convoy::plugin {
namespace {

// Names become file names, flags and table cells.
bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() <= kLongestName && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || c == '.' || c == '-' || c == '+'; });
}

// Text from an untrusted file is printed on terminals, so it must have no control characters.
void require_printable(std::string_view entry) {
  for (unsigned char letter : entry) {
    if (letter < 0x20 || letter == 0x7f) {
      throw ManifestError(fmt::format("its manifest has a control character (0x{:02x})", letter));
    }
  }
}

std::vector<std::string_view> entries_of(std::string_view text) {
  std::vector<std::string_view> entries;
  while (true) {
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) {
      throw ManifestError("its manifest does not end with an empty entry");
    }
    if (end == 0) return entries;
    entries.push_back(text.substr(0, end));
    require_printable(entries.back());
    text.remove_prefix(end + 1);
  }
}

// A separator may follow the last part; an empty text has none.
std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts = split(text, separator);
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

void parse_abi(std::string_view value, Manifest& manifest) {
  const std::size_t dot = value.find('.');
  const auto major = parse_number<std::uint32_t>(value.substr(0, dot));
  const auto minor = parse_number<std::uint32_t>(
      dot == std::string_view::npos ? std::string_view() : value.substr(dot + 1));
  if (!major || !minor)
    throw ManifestError(fmt::format("its manifest says abi={}; it should be like 1.0", value));
  manifest.abi_major = *major;
  manifest.abi_minor = *minor;
  if (manifest.abi_major != CONVOY_ABI_MAJOR) {
    throw ManifestError(fmt::format(
        "built for plug-in ABI {}, this convoy has {}.{}: rebuild it with this convoy's headers",
        value, CONVOY_ABI_MAJOR, CONVOY_ABI_MINOR));
  }
}

PluginKind parse_kind(std::string_view value) {
  for (PluginKind kind : kPluginKinds) {
    if (value == to_string(kind)) return kind;
  }
  throw ManifestError(fmt::format(
      "its manifest says kind={}; this convoy knows strategy, model, device and transport", value));
}

OptionType parse_type(std::string_view option, std::string_view value) {
  for (OptionType type : {OptionType::kBool, OptionType::kInt, OptionType::kFloat,
                          OptionType::kString, OptionType::kEnum}) {
    if (value == to_string(type)) return type;
  }
  throw ManifestError(fmt::format(
      "option {} of its manifest has type '{}'; types are bool, int, float, string and enum",
      option, value));
}

OptionDeclaration parse_option(std::string_view value) {
  std::array<std::string_view, 4> fields;
  std::string_view rest = value;
  for (std::string_view& field : fields) {
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) {
      throw ManifestError(fmt::format(
          "its manifest says option={}; it should be <name>:<type>:<default>:<allowed>:<help>",
          value));
    }
    field = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  OptionDeclaration option{.name = std::string(fields[0]),
                           .type = parse_type(fields[0], fields[1]),
                           .default_value = std::string(fields[2]),
                           .allowed = parts_of(fields[3], '|'),
                           .help = std::string(rest)};
  if (!is_name(option.name)) {
    throw ManifestError(
        fmt::format("its manifest has an option named '{}'; use letters, digits "
                    "and _",
                    option.name));
  }
  if (option.type == OptionType::kEnum && option.allowed.empty()) {
    throw ManifestError(fmt::format("its enum option {} allows no value", option.name));
  }
  try {
    option.default_value = checked_option_value(option, option.default_value);
  } catch (const std::invalid_argument& problem) {
    const char* hint = fields[3].find("..") == std::string_view::npos
                           ? ""
                           : "; <allowed> lists values (a|b|c): for a range leave it empty and "
                             "call refuse() in plan()";
    throw ManifestError(fmt::format("the default of its option {} is '{}', but it takes {}{}",
                                    option.name, option.default_value, problem.what(), hint));
  }
  return option;
}

// Names and values of options are checked later, once all options are known.
Variant parse_variant(std::string_view value) {
  Variant variant;
  for (const std::string& setting : parts_of(value, ',')) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      throw ManifestError(fmt::format(
          "its manifest says variant={}; it should be <option>=<value>,<option>=<value>", value));
    }
    variant.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return variant;
}

void check_variants(Manifest& manifest) {
  for (Variant& variant : manifest.variants) {
    for (auto& [name, value] : variant) {
      const auto option = std::find_if(manifest.options.begin(), manifest.options.end(),
                                       [&key = name](const auto& it) { return it.name == key; });
      if (option == manifest.options.end()) {
        throw ManifestError(
            fmt::format("a variant of its manifest sets {}, which is not an option", name));
      }
      try {
        value = checked_option_value(*option, value);
      } catch (const std::invalid_argument& problem) {
        throw ManifestError(
            fmt::format("a variant of its manifest sets {} to '{}', but it takes {}", name, value,
                        problem.what()));
      }
    }
  }
}

void parse_needs(std::string_view value, Manifest& manifest) {
  manifest.needs = parts_of(value, ',');
  for (const std::string& operation : manifest.needs) {
    const OperationTraits* const traits = find_operation_traits(operation);
    if (traits == nullptr || traits->written_by_host) {
      throw ManifestError(
          fmt::format("needs operation '{}', which this convoy (plug-in ABI {}.{}) does not know",
                      operation, CONVOY_ABI_MAJOR, CONVOY_ABI_MINOR));
    }
  }
}

void parse_entry(std::string_view key, std::string_view value, Manifest& manifest) {
  if (key == "kind") {
    manifest.kind = parse_kind(value);
  } else if (key == "name") {
    manifest.name = value;
  } else if (key == "version") {
    manifest.version = value;
  } else if (key == "description") {
    manifest.description = value;
  } else if (key == "claim") {
    manifest.claim = value;
  } else if (key == "needs") {
    parse_needs(value, manifest);
  } else if (key == "option") {
    manifest.options.push_back(parse_option(value));
  } else if (key == "auto") {
    if (value != "true" && value != "false")
      throw ManifestError(fmt::format("its manifest says auto={}; it is true or false", value));
    manifest.in_auto = value == "true";
  } else if (key == "variant") {
    manifest.variants.push_back(parse_variant(value));
  } else if (!key.starts_with("x-")) {
    throw ManifestError(fmt::format(
        "its manifest has the unknown key '{}' (it is for ABI {}.{}, "
        "this convoy has {}.{})",
        key, manifest.abi_major, manifest.abi_minor, CONVOY_ABI_MAJOR, CONVOY_ABI_MINOR));
  }
}

void require_distinct_options(const Manifest& manifest) {
  std::set<std::string_view> names;
  for (const OptionDeclaration& option : manifest.options) {
    if (!names.insert(option.name).second) {
      throw ManifestError(fmt::format("its manifest declares option {} twice", option.name));
    }
  }
}

}  // namespace

std::string_view to_string(PluginKind kind) {
  constexpr std::array<std::string_view, kPluginKinds.size()> kNames = {"strategy", "model",
                                                                        "device", "transport"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(OptionType type) {
  constexpr std::array<std::string_view, 5> kNames = {"bool", "int", "float", "string", "enum"};
  return kNames.at(static_cast<std::size_t>(type));
}

Manifest parse_manifest(std::string_view text) {
  Manifest manifest;
  std::set<std::string_view> seen;
  const std::vector<std::string_view> entries = entries_of(text);
  // The ABI first: what the other entries mean depends on it.
  constexpr std::string_view kAbi = "abi=";
  const auto abi = std::find_if(entries.begin(), entries.end(),
                                [&](std::string_view entry) { return entry.starts_with(kAbi); });
  if (abi == entries.end()) throw ManifestError("its manifest has no abi=");
  parse_abi(abi->substr(kAbi.size()), manifest);
  for (std::string_view entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) {
      throw ManifestError(fmt::format("its manifest entry '{}' is not key=value", entry));
    }
    const std::string_view key = entry.substr(0, equals);
    if (!seen.insert(key).second && key != "option" && key != "variant") {
      throw ManifestError(fmt::format("its manifest says {}= twice", key));
    }
    if (key != "abi") parse_entry(key, entry.substr(equals + 1), manifest);
  }
  if (!seen.contains("kind")) throw ManifestError("its manifest has no kind=");
  if (!is_name(manifest.name)) {
    throw ManifestError(
        fmt::format("its manifest names it '{}'; a name has 1 to {} letters, digits, _ . + or -",
                    manifest.name, kLongestName));
  }
  require_distinct_options(manifest);
  check_variants(manifest);
  return manifest;
}

std::string checked_option_value(const OptionDeclaration& option, std::string_view value) {
  std::string result(value);
  if (option.type == OptionType::kBool) {
    if (value == "true" || value == "1") {
      result = "true";
    } else if (value == "false" || value == "0") {
      result = "false";
    } else {
      throw std::invalid_argument("true or false");
    }
  }
  if (option.type == OptionType::kInt && !parse_number<std::int64_t>(value)) {
    throw std::invalid_argument("an integer");
  }
  if (option.type == OptionType::kFloat && !parse_number<double>(value)) {
    throw std::invalid_argument("a number");
  }
  if (!option.allowed.empty() &&
      std::find(option.allowed.begin(), option.allowed.end(), result) == option.allowed.end()) {
    throw std::invalid_argument(fmt::format("one of {}", fmt::join(option.allowed, ", ")));
  }
  return result;
}

}  // namespace convoy::plugin
