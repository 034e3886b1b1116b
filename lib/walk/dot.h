/*
 * dot: draws a wait for dot(1): solid lines for the thread that really ended it, and so on (walk/walk_back.h); dashed lines for the thread that
 * usually does (walk/vote.h).
 */
#ifndef WALK_DOT_H
#define WALK_DOT_H

#include <stdio.h>

#include "walk/vote.h"
#include "walk/walk_back.h"

void dot_write(FILE *out, const struct whole *whole, const struct walk_back *back, const struct vote *vote);

#endif
