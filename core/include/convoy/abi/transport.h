/* Transports carry bytes between the processes (tasks) of a run. The rules are at the top of
 * convoy/abi.h.
 *
 * A transport moves bytes and nothing else; rings, trees and parameter servers are operations of
 * the plan. Every task opens the transport. The tasks exchange their addresses over the control
 * plane, and both ends of a pair call connect. From then on each end sends and expects messages.
 *
 * Order. A message belongs to (origin, target, channel). Messages of one such stream are numbered
 * 0, 1, 2, ... by their sequence, and both ends name them in that order, without gaps. They are
 * delivered in that order, and the events of a stream come in that order, at each end. A channel
 * defines an order, not a connection. The transport decides how many connections carry the
 * channels, but no channel may wait for the receiver of another one. The tag of a message names its
 * operation and step at both ends. A message with another tag or size than the target expects is
 * refused.
 *
 * Credit. A target that expects a message grants credit for it; then the message may be sent
 * whatever its size (rendezvous). Without credit a sender may have at most CONVOY_EAGER_BYTES on
 * the way to one peer over all channels. Each message counts as its bytes +
 * CONVOY_EAGER_MESSAGE_BYTES. All other messages stay in the sender's spans until the credit comes.
 * So a target buffers at most CONVOY_EAGER_BYTES per peer. It always drains its connections,
 * whatever it expects, so that no stream blocks another one. With or without credit, a message is
 * done at the sender when the transport no longer refers to its span.
 *
 * Faults. Bytes that are not a valid frame of this run are refused and counted, and never reach a
 * span that is reported as done. Frames are invalid if they are truncated or too large, have
 * another key or generation, come unexpected beyond the eager bytes, or have a wrong checksum, tag
 * or size. An invalid frame from a connected peer also ends the connection: the peer is lost. Bytes
 * that cross a network without encryption carry a CRC32C per message, because TCP's checksum misses
 * some errors.
 *
 * Every message ends in exactly one event, DONE or CANCELLED. The loss of a peer, interrupt and
 * close cancel messages; no message waits for a lost peer.
 *
 * Threads. One thread (the network engine's) calls all functions of one open transport, so calls
 * never overlap. A transport may have threads of its own. Time limits hold whatever the peers do:
 * open and close return within 5 s, poll within its `seconds` + 0.1 s, and all other functions
 * within 0.1 s. */
#ifndef CONVOY_ABI_TRANSPORT_H
#define CONVOY_ABI_TRANSPORT_H

#include <convoy/abi/common.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONVOY_ADDRESS_BYTES 512u        /* every buffer for an address has at least this size */
#define CONVOY_EAGER_BYTES 1048576u      /* most bytes on the way to one peer without credit */
#define CONVOY_EAGER_MESSAGE_BYTES 64u   /* a message counts as this more than its bytes */
#define CONVOY_MESSAGE_BYTES 0x40000000u /* most bytes of a message (1 GiB) */

enum convoy_transport_flag {
  CONVOY_TRANSPORT_ENCRYPTED = 1u,    /* nobody on the way can read or change bytes */
  CONVOY_TRANSPORT_REMOTE_WRITE = 2u, /* bytes go from span to span without an intermediate copy */
  /* Reports the death of a peer's process within 1 s, without heartbeats. */
  CONVOY_TRANSPORT_DETECTS_DEATH = 4u,
  CONVOY_TRANSPORT_DEVICE_MEMORY = 8u /* spans may lie in registered memory of devices */
};

/* Properties of a transport, known before it is open. */
enum convoy_transport_trait {
  CONVOY_TRANSPORT_ONE_MACHINE = 1u, /* reaches peers on this machine only */
  /* Works only in processes that were started together by its launcher (mpirun). */
  CONVOY_TRANSPORT_LAUNCHED = 2u
};

/* For convoy_transport.preference; numbers between and above them are free to use. */
enum convoy_transport_preference {
  CONVOY_PREFERENCE_NETWORK = 100, /* any network */
  CONVOY_PREFERENCE_FABRIC = 200,  /* a cluster's own */
  CONVOY_PREFERENCE_MEMORY = 300   /* the memory that both tasks share */
};

enum convoy_run_flag {
  /* Bytes may cross a network in clear text. Without this flag, a transport without a certificate
   * listens on loopback addresses only and refuses all others. */
  CONVOY_RUN_CLEAR_TEXT = 1u
};

/* The run and the task that open a transport. Texts are valid during the call and may be NULL where
 * they are not needed. */
typedef struct convoy_transport_run {
  uint64_t struct_size;
  uint8_t key[32];     /* a secret of the run's tasks: a peer proves that it knows it */
  uint32_t rank;       /* of this task, below ranks */
  uint32_t ranks;      /* tasks of the run */
  uint32_t generation; /* grows with every restart; frames of another one are refused */
  uint32_t channels;   /* per pair and direction, 1 to 256 */
  uint32_t flags;      /* convoy_run_flag */
  uint32_t reserved;
  double peer_seconds; /* silence after which a peer counts as lost, where the transport can tell */
  double join_seconds; /* how long connect keeps trying */
  const char* listen_address;  /* host:port or [IPv6]:port; port 0 = any; NULL = loopback */
  const char* advertised_host; /* host that peers connect to; NULL = that of listen_address */
  /* Files in PEM form; NULL = none. All three or none. */
  const char* certificate;
  const char* private_key;
  const char* authorities; /* peers must show a certificate of one of these authorities */
} convoy_transport_run;

typedef struct convoy_transport_description {
  uint64_t struct_size;
  uint32_t flags; /* convoy_transport_flag of the transport as opened */
  uint32_t reserved;
  double bytes_per_second; /* of one pair in one direction; 0 = unknown */
  double latency;          /* seconds that a small message takes; 0 = unknown */
  char name[64];           /* for example "shm" */
  char detail[192];        /* for example "process_vm_readv" or "TLS 1.3, 4 connections per peer" */
} convoy_transport_description;

/* frozen. Identifies a message. Both ends derive it from the plan and compare it. */
typedef struct convoy_message_tag {
  uint32_t generation; /* that of the run */
  uint32_t plan;       /* identifies the program of the run: a part of its hash */
  uint32_t operation;  /* its number in the lowered plan */
  uint32_t iteration;
} convoy_message_tag;

/* One message, to send or to expect. Valid during the call. The span belongs to the transport until
 * the event. A span to send is only read and may be part of several sends; a span to receive is
 * written and belongs to one message. */
typedef struct convoy_transfer {
  uint64_t struct_size;
  uint32_t peer; /* the other end's rank */
  uint32_t channel;
  uint64_t sequence;
  convoy_message_tag tag;
  void* memory;       /* any alignment; NULL only for 0 bytes */
  uint64_t bytes;     /* at most CONVOY_MESSAGE_BYTES */
  void* registration; /* from register_memory, for memory that contains the span; or NULL */
  uint64_t token;     /* chosen by the caller; the message's event contains it */
} convoy_transfer;

enum convoy_transport_event_kind {
  /* The message with this token is done. Sent: the transport no longer refers to its span.
   * Expected: all its bytes are in the span. */
  CONVOY_EVENT_DONE = 1,
  /* The message ended without being done, because its peer is lost or interrupt was called. The
   * span belongs to the caller again; the contents of an expected span are undefined. */
  CONVOY_EVENT_CANCELLED = 2,
  /* From now on messages from and to this peer move. Once per connect, unless the peer is lost. */
  CONVOY_EVENT_CONNECTED = 3,
  /* The peer is lost for good; once per peer. Its messages, also those of later calls, end as
   * CANCELLED within 1 s. Messages that were delivered completely before the loss are DONE. */
  CONVOY_EVENT_PEER_LOST = 4,
  /* Input was refused and counted. Its origin may be unknown (peer = CONVOY_NONE). */
  CONVOY_EVENT_REFUSED = 5
};

/* Why a peer is lost, or input refused. */
enum convoy_transport_reason {
  CONVOY_REASON_NONE = 0,
  CONVOY_REASON_CLOSED = 1,     /* the peer has closed its transport in order */
  CONVOY_REASON_DIED = 2,       /* its process has ended, or its connection broke (see error) */
  CONVOY_REASON_SILENT = 3,     /* nothing came for peer_seconds */
  CONVOY_REASON_UNREACHED = 4,  /* no connection within join_seconds */
  CONVOY_REASON_MALFORMED = 5,  /* no frame, or a truncated or too large one */
  CONVOY_REASON_CORRUPTED = 6,  /* a checksum does not match */
  CONVOY_REASON_FOREIGN = 7,    /* another key, certificate, rank, version or number of ranks */
  CONVOY_REASON_STALE = 8,      /* another generation */
  CONVOY_REASON_UNEXPECTED = 9, /* another tag, size or sequence than expected */
  CONVOY_REASON_FLOOD = 10      /* more than the eager bytes without credit */
};

/* frozen. */
typedef struct convoy_transport_event {
  uint32_t kind;   /* convoy_transport_event_kind */
  uint32_t peer;   /* all kinds; CONVOY_NONE = unknown */
  uint64_t token;  /* DONE, CANCELLED */
  uint64_t count;  /* REFUSED: pieces of input refused since the previous event */
  uint32_t reason; /* PEER_LOST, REFUSED: convoy_transport_reason */
  int32_t error;   /* PEER_LOST: errno, 0 = there is none */
  char text[224];  /* PEER_LOST, REFUSED: one line for the user; ends with a NUL */
} convoy_transport_event;

typedef struct convoy_transport {
  uint64_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  /* Returns 0 when this process can open the transport on this machine, else non-zero with the
   * reason (not started by its launcher, or the system lacks something). The host may call it at
   * any time, from one thread at a time. */
  int32_t (*available)(convoy_context* context, const convoy_host* host);
  /* Starts to listen, if it listens at all, and knows its address from here on. It connects to no
   * peer yet. CONVOY_REFUSED: the fields of `run` are impossible. Its options are fixed from here
   * on. */
  int32_t (*open)(convoy_context* context, const convoy_host* host, const convoy_transport_run* run,
                  void** transport);
  /* Cancels pending messages without events. Messages that are DONE still reach a peer that has
   * expected them and drains its connection. Notifies connected peers (they see CLOSED), frees
   * everything and returns within 5 s, whether or not peers answer. Refers to no span afterwards.
   * The last call. */
  void (*close)(void* transport);
  /* The same description every time. */
  int32_t (*describe)(void* transport, convoy_context* context, convoy_transport_description* out);
  /* Writes the address that peers pass to connect. On entry *bytes is the room at `out`, at least
   * CONVOY_ADDRESS_BYTES; on return it is the length of the address. An address may be any bytes;
   * the control plane carries them. */
  int32_t (*address)(void* transport, convoy_context* context, void* out, uint64_t* bytes);
  /* Begins to connect to a peer at the address that the peer gave; never blocks. Both ends call it
   * once, in any order; the transport decides which of them dials. CONNECTED or PEER_LOST follows
   * within join_seconds + 1. CONVOY_REFUSED: this transport can never reach that address (another
   * machine); the host then takes another transport for the pair. Other values: the call is wrong
   * (own rank, unknown rank, second call, malformed address). */
  int32_t (*connect)(void* transport, convoy_context* context, uint32_t peer, const void* address,
                     uint64_t bytes);
  /* Queues a message, whether or not its peer is connected yet. Fails when the call is wrong: no
   * such peer, connect was not called for it, no such channel, out of sequence, too large. May move
   * bytes itself. */
  int32_t (*expect)(void* transport, convoy_context* context, const convoy_transfer* transfer);
  int32_t (*send)(void* transport, convoy_context* context, const convoy_transfer* transfer);
  /* Moves bytes, unless threads of the transport do. Writes up to `capacity` (at least 1) events to
   * `out` and their number to *count. Returns at once when there are events, else after `seconds`.
   * A wait of more than 50 microseconds must sleep, because devices compute on the processor
   * meanwhile. */
  int32_t (*poll)(void* transport, convoy_context* context, convoy_transport_event* out,
                  uint64_t capacity, double seconds, uint64_t* count);
  /* Every message that is pending now, or queued later, ends as CANCELLED (or DONE) within 1 s of
   * polling, whatever the peers do. Afterwards only poll, describe, unregister_memory and close are
   * useful. May be called again, with no effect. */
  int32_t (*interrupt)(void* transport, convoy_context* context);
  /* Optional. A file descriptor for poll(2) that is readable when poll has work to do. The
   * transport owns it until close. -1: there is none; then the host calls poll regularly while
   * messages are pending. */
  int32_t (*descriptor)(void* transport, convoy_context* context, int32_t* out);
  /* Optional, both or none. register_memory prepares memory for spans; with DEVICE_MEMORY all
   * memory of devices must be registered. unregister_memory is called when no message in the memory
   * is pending. The host of this version sends from host memory only and calls neither. */
  int32_t (*register_memory)(void* transport, convoy_context* context, void* memory, uint64_t bytes,
                             void** registration);
  int32_t (*unregister_memory)(void* transport, convoy_context* context, void* registration);
  /* Optional, with the trait LAUNCHED. Tells the rank of this process among the processes that were
   * launched together, and exchanges `bytes` bytes between all of them. All processes call it the
   * same number of times, with the same `bytes` of at most CONVOY_ADDRESS_BYTES. `all` has room for
   * the bytes of every rank, by rank; if it is NULL, only the ranks are returned, without waiting.
   * CONVOY_TIMED_OUT after `seconds`. Called before open or while the transport is open; it
   * overlaps no other call into the plug-in. */
  int32_t (*exchange)(convoy_context* context, const convoy_host* host, const void* mine,
                      uint64_t bytes, double seconds, void* all, uint32_t* rank, uint32_t* ranks);
  uint32_t traits; /* convoy_transport_trait */
  /* The host takes the transport of the highest preference among those that both ends of a pair
   * have and that can connect them. 0: only when the user names it. */
  uint32_t preference;
} convoy_transport;

/* The type of convoy_transport_v1, the entry point. */
typedef const convoy_transport* (*convoy_transport_entry)(void);

#ifdef __cplusplus
}
#endif

#endif
