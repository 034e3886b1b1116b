/*
 * logger: logs the calls of blamed functions while a trigger is fired: the "blame-proportional logging" of AUDIT (Luo et al., USENIX
 * ATC'18, section 3.2). It reads the stream behind blame-rank, and writes `call` records into it.
 *
 * At the `window` of a trigger's signal it has the ranking of that moment. It logs the top functions of the graph of calls, or, if there is
 * none, those that the wake graph's blamed names mention. Until the trigger ends, each `request` record decides on the calls within that
 * request. In a stream without triggers, the first window with a ranked function starts a logging of all calls.
 *
 *	logger = logger_new(stream, prober, &options)
 *	logger_reads(&handlers)		its handlers are given the logger
 *	logger_free(logger)
 */
#ifndef LOG_LOGGER_H
#define LOG_LOGGER_H

#include "log/prober.h"
#include "stream/stream.h"

struct logger;

struct logger_options {
	uint64_t most;	 /* the most functions; 0: as many as the trigger says, or 5 */
	int64_t duration; /* length of a logging without a trigger, ns */
	char *const *methods; /* BINARY:GLOB: log these instead of blamed functions; none: blamed functions */
	size_t method_count;
	int names; /* descriptor from markers_names(), locked while triggers log; -1: none */
	prober_say *say;
};

struct logger *logger_new(struct stream *stream, struct prober *prober, const struct logger_options *options);
void logger_reads(struct handlers *handlers);
void logger_free(struct logger *logger);

#endif
