/*
 * module: a program that is given to those readers that libdwfl comes before.
 */
#ifndef FUZZ_MODULE_H
#define FUZZ_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

/* The program, and its module; NULL: the bytes are none. The caller ends it (dwfl_end). */
Dwfl *fuzz_module(const uint8_t *data, size_t size, Dwfl_Module **module);

#endif
