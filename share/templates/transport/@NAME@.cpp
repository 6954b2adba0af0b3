// @NAME@: a transport for convoy that moves bytes over one TCP connection per peer, in clear text. It
// is complete and right, and plain: put your network in the place of the sockets, and let `convoy
// check` tell you whether messages still arrive in order, wait for credit and end in time.
//
// What every function means is in convoy/abi/transport.h.

#include "socket_transport.hpp"

CONVOY_TRANSPORT(plain_sockets::SocketTransport, "name=@NAME@", "version=0.1.0",
                 "description=One TCP connection per peer, in clear text.");
