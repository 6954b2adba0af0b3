#pragma once

#include <convoy/abi/common.h>

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace convoy {

// The values of the options that a plug-in's manifest declares. Valid during the call to which the
// object is passed.
class Options {
 public:
  Options(const convoy_host* host, convoy_context* context) : host_(host), context_(context) {}

  // As text. Throws std::logic_error for a name that the manifest does not declare.
  std::string option(const char* name) const { return declared(name); }
  // Options of type bool. Throws as option().
  bool flag(const char* name) const { return declared(name) == "true"; }
  // Options of type int; 0 when the manifest gives no default. Throws as option().
  std::int64_t integer(const char* name) const {
    const std::string value = declared(name);
    return value.empty() ? 0 : std::stoll(value);
  }
  // Options of type float, read in the same way in every locale; 0 when the manifest gives no
  // default. Throws as option().
  double number(const char* name) const {
    const std::string value = declared(name);
    double number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
  }

 private:
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
