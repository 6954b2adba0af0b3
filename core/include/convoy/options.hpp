#pragma once

#include <convoy/abi/common.h>

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>

namespace convoy {

// The values of the options that a plug-in's manifest declares. Valid during the call to which the
// object is passed.
class Options {
 public:
  Options(const convoy_host* host, convoy_context* context) : host_(host), context_(context) {}

  // The value as text. Throws std::logic_error for a name that the manifest does not declare.
  std::string option(const char* name) const { return declared(name); }
  // Options of type bool. Throws as option().
  bool flag(const char* name) const { return declared(name) == "true"; }
  // Options of type int; 0 when the manifest gives no default. Throws as option(), also where the
  // value is no such number, because the manifest declares another type.
  std::int64_t integer(const char* name) const { return parsed<std::int64_t>(name, "int"); }
  // Options of type float or int, read in the same way in every locale; 0 when the manifest gives
  // no default. Throws as integer().
  double number(const char* name) const { return parsed<double>(name, "float"); }

 private:
  template <typename Number>
  Number parsed(const char* name, const char* type) const {
    const std::string value = declared(name);
    Number number{};
    if (value.empty()) return number;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || stop != end)
      throw std::logic_error("option '" + std::string(name) + "' is '" + value + "', which is no " +
                             type +
                             "; declare it as one in its option= line, or read it by option()");
    return number;
  }

  std::string declared(const char* name) const {
    const char* value = host_->option(context_, name);
    if (value == nullptr)
      throw std::logic_error("the manifest declares no option '" + std::string(name) +
                             "'; add an option= line for it, or correct the name");
    return value;
  }

  const convoy_host* host_;
  convoy_context* context_;
};

}  // namespace convoy
