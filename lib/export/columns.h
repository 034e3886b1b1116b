/*
 * columns: the keys of each kind of record as columns of a table, as tailblame-stream(5) lists them. Other keys of a record
 * stand in a last column, `more`.
 */
#ifndef EXPORT_COLUMNS_H
#define EXPORT_COLUMNS_H

#include "stream/record.h"

/* Ends with NULL; NULL: records of this kind are no table. */
const char *const *columns_of(enum kind kind);

#endif
