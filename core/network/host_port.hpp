#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy::network {

// Where a task listens: a name or an address, and a port from 1 to 65535. Port 0 stands for a free
// port that the system chooses; lists of hosts cannot contain it.
struct HostPort {
  std::string host;  // an IPv6 address without its brackets
  int port = 0;
  bool operator==(const HostPort&) const = default;
};

// Returns "host:port", with brackets around an IPv6 address.
std::string to_string(const HostPort& address);

// Reads "host:port", "1.2.3.4:port" or "[::1]:port". `source` is the flag or variable with the
// text. Throws Error (kUsage).
HostPort parse_host_port(std::string_view text, std::string_view source);

// Throws Error (kUsage) if `text` is neither a name that a host may have nor an IPv4 or IPv6
// address. Looks nothing up. An empty text is none.
void check_host(std::string_view text, std::string_view source);

// Whether the addresses of a list have ports. Those of a described cluster may lack them: 0.
enum class Ports { kRequired, kOptional };

// Reads "host:port,host:port"; an empty text is an empty list. Also throws Error (kUsage) if an
// address occurs twice.
std::vector<HostPort> parse_host_list(std::string_view text, std::string_view source,
                                      Ports ports = Ports::kRequired);

}  // namespace convoy::network
