/*
 * columns: the keys of each kind of record as columns of a table, as tailblame-stream(5) lists them. Other keys of a record
 * stand in a last column, `more`.
 */
#ifndef EXPORT_COLUMNS_H
#define EXPORT_COLUMNS_H

#include "stream/record.h"

/* The columns of a kind, ended by NULL. NULL: records of this kind make no table. */
const char *const *columns_of(enum kind kind);

#endif
