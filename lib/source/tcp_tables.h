/*
 * tcp_tables: the TCP sockets of the machine's network namespaces, as /proc lists them. Each namespace is read once, when a process of it is first
 * looked at. The kernel's format is in its Documentation/networking/proc_net_tcp.rst.
 */
#ifndef SOURCE_TCP_TABLES_H
#define SOURCE_TCP_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

enum { TCP_PORTS = 1 << 16 };

struct tcp_socket {
	uint64_t inode;
	uint16_t own, other; /* ports */
	bool here;	     /* both ends have the same address */
	bool listens;	     /* it has no other end */
};

struct tcp_table { /* of a network namespace */
	char name[32]; /* as /proc/PID/ns/net spells it */
	ARRAY(struct tcp_socket) sockets; /* by inode */
	uint8_t listens[TCP_PORTS]; /* somebody listens at this port */
};

struct tcp_tables {
	int64_t until; /* when to give up, by CLOCK_MONOTONIC; INT64_MAX: never */
	ARRAY(struct tcp_table *) tables;
};

/* Tells whether `until` is over. A table that could not be read whole in time has no sockets: without all listeners the sides are unknown. */
bool tcp_tables_late(const struct tcp_tables *tables);

/* The table of the process' namespace, which `tables` owns. NULL: the namespace is not known, or there are too many. */
const struct tcp_table *tcp_table_of(struct tcp_tables *tables, int32_t pid);

/* The socket that a link in /proc/PID/fd names, "socket:[4711]"; NULL: it is not in this table, which may be NULL. */
const struct tcp_socket *tcp_table_find(const struct tcp_table *table, const char *link);

/*
 * The inode of the other end of a connection within the machine's own addresses; 0: it is not known, or the connection leaves the network namespace.
 */
uint64_t tcp_table_other_end(const struct tcp_table *table, const struct tcp_socket *socket);

void tcp_tables_free(struct tcp_tables *tables);

#endif
