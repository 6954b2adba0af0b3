// The functions of the host that a device or transport plug-in may use during one call.
#ifndef CONVOY_HOST_CALLS_HPP
#define CONVOY_HOST_CALLS_HPP

#include <convoy/abi/common.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace convoy {

// Thrown by a plug-in when the peer that it waited for did not come or was lost.
class TimedOut : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class LogLevel : int32_t {
  kDebug = CONVOY_LOG_DEBUG,
  kInfo = CONVOY_LOG_INFO,
  kWarning = CONVOY_LOG_WARNING,
};

// The host's functions, bound to the context of the current call. Texts are copied.
class HostCalls {
 public:
  HostCalls(convoy_context* context, const convoy_host* host) : context_(context), host_(host) {}

  void log(LogLevel level, const std::string& text) const {
    host_->log(context_, static_cast<int32_t>(level), text.c_str());
  }
  // Value of an option of the manifest, or null when it was not declared. Valid until the instance
  // that is being opened is closed.
  const char* option(const char* name) const { return host_->option(context_, name); }
  void set_error(const char* text) const { host_->set_error(context_, text); }
  const convoy_host* table() const { return host_; }

 private:
  convoy_context* context_;
  const convoy_host* host_;
};

// Fills a fixed character array of the ABI; a longer text is cut.
template <std::size_t kSize>
void set_text(char (&field)[kSize], const std::string& text) {
  std::strncpy(field, text.c_str(), kSize - 1);
  field[kSize - 1] = '\0';
}

}  // namespace convoy

#endif
