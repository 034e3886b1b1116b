/*
 * logger: logs the calls of blamed functions, from the firing of a trigger to its end: the "blame-proportional logging" of AUDIT (Luo et al.,
 * USENIX ATC'18, section 3.2). It reads the stream behind blame-rank, and writes `call` records into it.
 *
 * At the `window` of a trigger's signal it has the ranking of that moment. The top functions of the graph of calls are logged, or, where
 * there is none, of the wake graph those in whose name a function stands. Until the trigger ends, each `request` record decides on the
 * calls within that request. In a stream without triggers, the first window with a ranked function begins the logging, of all calls.
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
	uint64_t most;	 /* functions; 0: as many as the trigger says, or 5 */
	int64_t duration; /* ns, of a logging without a trigger */
	char *const *methods; /* BINARY:GLOB: these in place of blamed ones; none: blamed ones */
	size_t method_count;
	int names; /* markers_names(): locked while triggers log; -1: none */
	prober_say *say;
};

struct logger *logger_new(struct stream *stream, struct prober *prober, const struct logger_options *options);
void logger_reads(struct handlers *handlers);
void logger_free(struct logger *logger);

#endif
