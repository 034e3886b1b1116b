/*
 * dot: a wait as a picture, for dot(1): who really ended it, and on (walk/walk_back.h), with whole lines; who usually does (walk/vote.h), with
 * dashed ones.
 */
#ifndef WALK_DOT_H
#define WALK_DOT_H

#include <stdio.h>

#include "walk/vote.h"
#include "walk/walk_back.h"

void dot_write(FILE *out, const struct whole *whole, const struct walk_back *back, const struct vote *vote);

#endif
