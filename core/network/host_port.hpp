#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy::network {

// Where a task listens: a name or an address, and a port from 1 to 65535; port 0 stands for a free
// one that the system chooses, and is never read from a list.
struct HostPort {
  std::string host;  // an IPv6 address without its brackets
  int port = 0;
  bool operator==(const HostPort&) const = default;
};

// "host:port", an IPv6 address in brackets.
std::string to_string(const HostPort& address);

// Reads "host:port", "1.2.3.4:port" or "[::1]:port". `source` is the flag or variable that the text
// comes from. Throws Error with exit code kUsage.
HostPort parse_host_port(std::string_view text, std::string_view source);

// Reads "host:port,host:port"; an empty text is an empty list. Throws Error with exit code kUsage
// also when an address is there twice.
std::vector<HostPort> parse_host_list(std::string_view text, std::string_view source);

}  // namespace convoy::network
