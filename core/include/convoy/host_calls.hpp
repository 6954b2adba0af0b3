// Calls between host and plug-in: the functions of the host that a device or transport may use
// during one call, and how exceptions of a plug-in become errors of the host.
#ifndef CONVOY_HOST_CALLS_HPP
#define CONVOY_HOST_CALLS_HPP

#include <convoy/abi/common.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

namespace convoy {

// Thrown by a plug-in when the peer that it waited for did not come or was lost.
class TimedOut : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// " within 2.5 s", for the text of a TimedOut or of a lost peer.
inline std::string within(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, " within %g s", seconds);
  return text;
}

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

namespace detail {

// Thrown to end a call whose reason the host already has.
struct Reported {
  int32_t status;
};

// Runs code of a plug-in. What it throws becomes the error text of the call and this status;
// `invalid_argument` is the status of a std::invalid_argument.
template <typename Body>
int32_t guarded(const convoy_host* host, convoy_context* context, convoy_status invalid_argument,
                Body&& body) noexcept {
  try {
    body();
    return CONVOY_OK;
  } catch (const Reported& error) {
    return error.status;
  } catch (const TimedOut& error) {
    host->set_error(context, error.what());
    return CONVOY_TIMED_OUT;
  } catch (const std::invalid_argument& error) {
    host->set_error(context, error.what());
    return invalid_argument;
  } catch (const std::exception& error) {
    host->set_error(context, error.what());
  } catch (...) {
    host->set_error(context, "an exception that is not a std::exception");
  }
  return CONVOY_FAILED;
}

}  // namespace detail
}  // namespace convoy

#endif
