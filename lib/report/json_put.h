/*
 * json_put: keys of JSON objects. What is not known has no key: absent rather than null.
 */
#ifndef REPORT_JSON_PUT_H
#define REPORT_JSON_PUT_H

#include <jansson.h>
#include <stdint.h>

#include "graph/deed.h"
#include "report/who.h"

void json_put_text(json_t *object, const char *key, const char *text);
void json_put_real(json_t *object, const char *key, double value);
void json_put_count(json_t *object, const char *key, uint64_t value);
void json_put_seconds(json_t *object, const char *key, int64_t ns);
void json_put_words(json_t *object, const char *key, char *words); /* frees them */
void json_put_deed(json_t *object, const char *key, const struct deed *deed); /* its keys, as records have them; none of DEED_TEXT */
void json_put_identity(json_t *object, const char *key, const struct identity *identity); /* NULL is allowed */

#endif
