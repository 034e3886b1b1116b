/*
 * step: how to find the caller's registers from those of a function stopped at an address. The canonical frame address is a register plus
 * an offset, or is saved at that place. Saved registers lie at an offset from the canonical frame address, or from that register.
 */
#ifndef PROGRAM_STEP_H
#define PROGRAM_STEP_H

#include <stdbool.h>
#include <stdint.h>

enum { STEP_REGISTERS = 17, STEP_RETURN = 16 };

enum step_rule {
	STEP_SAME,  /* the function has not changed the register */
	STEP_SAVED, /* saved at the frame address plus `at` */
	STEP_ASIDE, /* saved at the register `base` plus `at` */
	STEP_LOST,  /* not known; for the return address: there is no caller */
};

struct step {
	bool known;
	bool interrupted; /* the "caller" did not call: a signal interrupted it; the return address is where it stopped */
	bool indirect;	  /* the frame address is saved at the register plus the offset */
	uint8_t base;	  /* register that the frame address is based on */
	int32_t offset;
	struct {
		uint8_t rule;
		int32_t at;
	} registers[STEP_REGISTERS];
};

#endif
