// Written by freeze.py: the layout of convoy/abi/transport.h in version 1.0.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

CONVOY_VALUE(CONVOY_TRANSPORT_ENCRYPTED, 1);
CONVOY_VALUE(CONVOY_TRANSPORT_REMOTE_WRITE, 2);
CONVOY_VALUE(CONVOY_TRANSPORT_DETECTS_DEATH, 4);
CONVOY_VALUE(CONVOY_TRANSPORT_DEVICE_MEMORY, 8);
CONVOY_VALUE(CONVOY_TRANSPORT_ONE_MACHINE, 1);
CONVOY_VALUE(CONVOY_TRANSPORT_LAUNCHED, 2);
CONVOY_VALUE(CONVOY_PREFERENCE_NETWORK, 100);
CONVOY_VALUE(CONVOY_PREFERENCE_FABRIC, 200);
CONVOY_VALUE(CONVOY_PREFERENCE_MEMORY, 300);
CONVOY_VALUE(CONVOY_RUN_CLEAR_TEXT, 1);
CONVOY_VALUE(CONVOY_EVENT_DONE, 1);
CONVOY_VALUE(CONVOY_EVENT_CANCELLED, 2);
CONVOY_VALUE(CONVOY_EVENT_CONNECTED, 3);
CONVOY_VALUE(CONVOY_EVENT_PEER_LOST, 4);
CONVOY_VALUE(CONVOY_EVENT_REFUSED, 5);
CONVOY_VALUE(CONVOY_REASON_NONE, 0);
CONVOY_VALUE(CONVOY_REASON_CLOSED, 1);
CONVOY_VALUE(CONVOY_REASON_DIED, 2);
CONVOY_VALUE(CONVOY_REASON_SILENT, 3);
CONVOY_VALUE(CONVOY_REASON_UNREACHED, 4);
CONVOY_VALUE(CONVOY_REASON_MALFORMED, 5);
CONVOY_VALUE(CONVOY_REASON_CORRUPTED, 6);
CONVOY_VALUE(CONVOY_REASON_FOREIGN, 7);
CONVOY_VALUE(CONVOY_REASON_STALE, 8);
CONVOY_VALUE(CONVOY_REASON_UNEXPECTED, 9);
CONVOY_VALUE(CONVOY_REASON_FLOOD, 10);

CONVOY_GROWS(convoy_transport_run, 120);
CONVOY_AT(convoy_transport_run, struct_size, 0);
CONVOY_AT(convoy_transport_run, key, 8);
CONVOY_AT(convoy_transport_run, rank, 40);
CONVOY_AT(convoy_transport_run, ranks, 44);
CONVOY_AT(convoy_transport_run, generation, 48);
CONVOY_AT(convoy_transport_run, channels, 52);
CONVOY_AT(convoy_transport_run, flags, 56);
CONVOY_AT(convoy_transport_run, reserved, 60);
CONVOY_AT(convoy_transport_run, peer_seconds, 64);
CONVOY_AT(convoy_transport_run, join_seconds, 72);
CONVOY_AT(convoy_transport_run, listen_address, 80);
CONVOY_AT(convoy_transport_run, advertised_host, 88);
CONVOY_AT(convoy_transport_run, certificate, 96);
CONVOY_AT(convoy_transport_run, private_key, 104);
CONVOY_AT(convoy_transport_run, authorities, 112);

CONVOY_GROWS(convoy_transport_description, 288);
CONVOY_AT(convoy_transport_description, struct_size, 0);
CONVOY_AT(convoy_transport_description, flags, 8);
CONVOY_AT(convoy_transport_description, reserved, 12);
CONVOY_AT(convoy_transport_description, bytes_per_second, 16);
CONVOY_AT(convoy_transport_description, latency, 24);
CONVOY_AT(convoy_transport_description, name, 32);
CONVOY_AT(convoy_transport_description, detail, 96);

CONVOY_FROZEN(convoy_message_tag, 16);
CONVOY_AT(convoy_message_tag, generation, 0);
CONVOY_AT(convoy_message_tag, plan, 4);
CONVOY_AT(convoy_message_tag, operation, 8);
CONVOY_AT(convoy_message_tag, iteration, 12);

CONVOY_GROWS(convoy_transfer, 72);
CONVOY_AT(convoy_transfer, struct_size, 0);
CONVOY_AT(convoy_transfer, peer, 8);
CONVOY_AT(convoy_transfer, channel, 12);
CONVOY_AT(convoy_transfer, sequence, 16);
CONVOY_AT(convoy_transfer, tag, 24);
CONVOY_AT(convoy_transfer, memory, 40);
CONVOY_AT(convoy_transfer, bytes, 48);
CONVOY_AT(convoy_transfer, registration, 56);
CONVOY_AT(convoy_transfer, token, 64);

CONVOY_FROZEN(convoy_transport_event, 256);
CONVOY_AT(convoy_transport_event, kind, 0);
CONVOY_AT(convoy_transport_event, peer, 4);
CONVOY_AT(convoy_transport_event, token, 8);
CONVOY_AT(convoy_transport_event, count, 16);
CONVOY_AT(convoy_transport_event, reason, 24);
CONVOY_AT(convoy_transport_event, error, 28);
CONVOY_AT(convoy_transport_event, text, 32);

CONVOY_GROWS(convoy_transport, 136);
CONVOY_AT(convoy_transport, struct_size, 0);
CONVOY_AT(convoy_transport, abi_major, 8);
CONVOY_AT(convoy_transport, abi_minor, 12);
CONVOY_AT(convoy_transport, available, 16);
CONVOY_AT(convoy_transport, open, 24);
CONVOY_AT(convoy_transport, close, 32);
CONVOY_AT(convoy_transport, describe, 40);
CONVOY_AT(convoy_transport, address, 48);
CONVOY_AT(convoy_transport, connect, 56);
CONVOY_AT(convoy_transport, expect, 64);
CONVOY_AT(convoy_transport, send, 72);
CONVOY_AT(convoy_transport, poll, 80);
CONVOY_AT(convoy_transport, interrupt, 88);
CONVOY_AT(convoy_transport, descriptor, 96);
CONVOY_AT(convoy_transport, register_memory, 104);
CONVOY_AT(convoy_transport, unregister_memory, 112);
CONVOY_AT(convoy_transport, exchange, 120);
CONVOY_AT(convoy_transport, traits, 128);
CONVOY_AT(convoy_transport, preference, 132);
