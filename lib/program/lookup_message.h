/*
 * lookup_message: questions to the process that looks names up, and its answers. Part of lookup, see lookup.h.
 *
 * Each message is one packet of a SOCK_SEQPACKET socket: what stands here, and text behind it. A file goes along as the socket that
 * brings it (opener_receive). To an answer of kind ANSWER_WISH the asker replies with a question of kind ASK_GIVEN, with the file or without one.
 */
#ifndef PROGRAM_LOOKUP_MESSAGE_H
#define PROGRAM_LOOKUP_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "program/image.h"

enum question_kind {
	ASK_GIVEN,
	ASK_PLACE,    /* of an image; text: its name. With a file: the image is new, or anew */
	ASK_FORGET,   /* an image; there is no answer */
	ASK_BUILD_ID, /* of the file that goes along, as all that follow */
	ASK_OFFSET,   /* text: the path, to be told, and behind its NUL the function */
	ASK_VARIABLE, /* likewise, a variable. Number: its address, as symbol_variable() has it; text: its size, 8 bytes */
	ASK_MATCHING, /* likewise, the pattern of functions */
	ASK_TRAITS,   /* likewise, nothing: enum ends_trait as the number; the text as ends_traits() has it */
	ASK_ENDS,     /* likewise, a function; offset: where it begins; image: 1 if a library throws. Number: where a call begins; known: it ends at
			 its exits; text: these, 8 bytes each */
	ASK_SWITCHES, /* likewise, nothing; text: each a struct ends_switch */
	ASK_INSTRUCTION, /* likewise, a function; offset: where it begins; image: the number of bytes behind. Number: the offset */
	ASK_ARGUMENTS, /* likewise, a function, a line break, and expressions; offset: where it begins, or, with image 1, of an instruction in it. With image
			  2, behind another line break, lines for members_choose(), and what cannot be told is absent. Text: each a struct argument_found, and
			  behind them why one is absent */
	ASK_PARAMETERS, /* likewise, a function; offset: where it begins. Number: 1 if DWARF knows it; text: expressions */
	ASK_TYPE, /* no file; text: the name of a type, mangled. Text: as it is written */
	ASK_BLOCK, /* of an image; text: its name, a NUL, and how many bytes behind the offset the branch lies. Text: a struct image_block */
	ASK_VARIABLE_AT, /* likewise; behind the NUL a distance. Number: which byte of it; text: its name */
	ASK_CONFINED, /* no file, no text. Number: how the process is confined, as confine_wholly() returns it. Asked first, so that the process waits
			 for a question from its begin on, and does not look like one that has asked by this socket itself */
	QUESTIONS
};

/* How arguments are asked about, in place of an image. */
enum { ASK_AT_ENTRY, ASK_IN_FUNCTION, ASK_LENIENTLY /* at the entry */ };

struct lookup_question {
	uint32_t kind, image;
	uint64_t offset;
};

enum answer_kind {
	ANSWER_DONE,   /* number, text */
	ANSWER_FAILED, /* text: the reason */
	ANSWER_MORE,   /* text: one of several */
	ANSWER_PLACE,  /* number: whether code lies there; texts: functions */
	ANSWER_WISH,   /* a debug file: number: enum debug_place; text: link or build id */
};

struct lookup_answer {
	uint32_t kind;
	uint32_t count; /* of texts, each with NUL behind it */
	uint64_t number;
	uint8_t known, interrupted, indirect, base; /* of a step */
	int32_t offset;
	struct {
		int32_t rule, at;
	} registers[STEP_REGISTERS];
};

/* As long as all that the longest message can have: names that are cut beyond DEMANGLED_MAX. */
enum { TEXT_MAX = 4096 + 16, QUESTION_ROOM = 8192 + 512, ANSWER_ROOM = sizeof(struct lookup_answer) + IMAGE_FUNCTIONS * TEXT_MAX };

/* Sends a message of two parts, and a file unless that is -1. -1 with errno. */
int lookup_send(int socket, const void *head, size_t size, const void *text, size_t length, int fd, int flags);

#endif
