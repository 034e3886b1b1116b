/*
 * subject: the subjects of messages on the server, "tb.WHAT.JOB.NODE" and "tb.moment.NODE", and the names of the streams that store them.
 */
#ifndef FLEET_SUBJECT_H
#define FLEET_SUBJECT_H

#define FLEET_STREAM   "tailblame"	     /* stores the messages */
#define FLEET_SUBJECTS "tb.*.*.*"
#define FLEET_MOMENTS  "tb.moment.*"
#define FLEET_BUCKET   "tailblame"	     /* stores the orders */
#define FLEET_KEY      "orders"
#define FLEET_BUCKET_STREAM  "KV_" FLEET_BUCKET		       /* the stream in which JetStream stores the bucket */
#define FLEET_ORDERS_SUBJECT "$KV." FLEET_BUCKET "." FLEET_KEY /* the subject of changes */

/* Prefixes of the subjects of JetStream's API: in the account of the hub, and as the account of the machines imports them. */
#define FLEET_HUB_API  "$JS.API"
#define FLEET_EDGE_API "tailblame.API"

/* Kinds of messages: runs of NODE itself, runs of other nodes that it knows (clients in its log), and sentences about what it refused or dropped. */
#define FLEET_RUN  "run"
#define FLEET_LOG  "log"
#define FLEET_TOLD "told"

/* A name as a token of a subject: bytes other than letters, digits, '_' and '-' become =XX, and "" becomes "=". The caller frees it. */
char *subject_token(const char *name);

/* "tb.WHAT.JOB.NODE", and "tb.moment.NODE". The caller frees them. */
char *subject_make(const char *what, const char *job, const char *node);
char *subject_of_moments(const char *node);

#endif
