/*
 * step: how to find the caller's registers from those of a function stopped at an address: the canonical frame address is a register
 * plus an offset, or is saved there, and what was saved lies at an offset from that address, or from the register.
 */
#ifndef PROGRAM_STEP_H
#define PROGRAM_STEP_H

#include <stdbool.h>
#include <stdint.h>

enum { STEP_REGISTERS = 17, STEP_RETURN = 16 };

enum step_rule {
	STEP_SAME,  /* the function has not changed it */
	STEP_SAVED, /* it lies at the frame address plus `at` */
	STEP_ASIDE, /* it lies at the register `base` plus `at` */
	STEP_LOST,  /* nobody knows; of the return address: there is no caller */
};

struct step {
	bool known;
	bool interrupted; /* the "caller" did not call: a signal came; its return address is where it stopped */
	bool indirect;	  /* the frame address lies at the register plus the offset */
	uint8_t base;	  /* register */
	int32_t offset;
	struct {
		uint8_t rule;
		int32_t at;
	} registers[STEP_REGISTERS];
};

#endif
