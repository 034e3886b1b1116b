#include "fleet/subject.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

char *subject_token(const char *name)
{
	char *token = memory_new(3 * strlen(name) + 2, 1), *at = token;

	for (const unsigned char *byte = (const unsigned char *)name; *byte; byte++)
		if ((*byte < 0x80 && isalnum(*byte)) || *byte == '_' || *byte == '-')
			*at++ = (char)*byte;
		else
			at += sprintf(at, "=%02X", *byte);
	if (at == token)
		*at = '=';
	return token;
}

char *subject_make(const char *what, const char *job, const char *node)
{
	char *job_token = subject_token(job), *node_token = subject_token(node);
	char *subject = memory_format("tb.%s.%s.%s", what, job_token, node_token);

	free(job_token);
	free(node_token);
	return subject;
}

char *subject_of_moments(const char *node)
{
	char *token = subject_token(node), *subject = memory_format("tb.moment.%s", token);

	free(token);
	return subject;
}
