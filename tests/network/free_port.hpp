#pragma once

namespace convoy::network {

// A port of 127.0.0.1 that nobody listens on now. Ports are handed out by the system from a large
// range, so that tests that run at the same time hardly ever get the same one.
int free_port();

}  // namespace convoy::network
