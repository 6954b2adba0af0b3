// @NAME@: a transport for convoy that moves bytes over one TCP connection per peer, in clear text. It
// is complete and correct, but plain. Replace the sockets by your network, and let `convoy
// check` tell you whether messages still arrive in order, wait for credit and end in time.
//
// convoy/abi/transport.h explains every function.

#include "socket_transport.hpp"

CONVOY_TRANSPORT(plain_sockets::SocketTransport, "name=@NAME@", "version=0.1.0",
                 "description=One TCP connection per peer, in clear text.");
