#include "socket_transport.hpp"

CONVOY_TRANSPORT(plain_sockets::SocketTransport, "name=plain_socket", "version=0.1.0",
                 "description=One TCP connection per peer, in clear text.");
