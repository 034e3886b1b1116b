/*
 * lookup_message: questions to the process that looks up names, and its answers. Part of lookup, see lookup.h.
 *
 * Each message is one packet of a SOCK_SEQPACKET socket: a struct declared here, and text behind it. A file is passed as the socket that
 * brings it (opener_receive). The asker replies to an answer of kind ANSWER_WISH with a question of kind ASK_GIVEN, with the file or
 * without one.
 */
#ifndef PROGRAM_LOOKUP_MESSAGE_H
#define PROGRAM_LOOKUP_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "program/image.h"

enum question_kind {
	ASK_GIVEN,
	ASK_PLACE,    /* about an image; text: its name. With a file: the image is new, or replaced */
	ASK_BUILD_ID, /* about the file passed along, as are the kinds below unless they say otherwise */
	ASK_OFFSET,   /* text: the path, for messages, and behind its NUL the function */
	ASK_VARIABLE, /* likewise, a variable. Number: its address, as symbol_variable() returns it; text: its size, 8 bytes */
	ASK_MATCHING, /* likewise, a pattern for functions */
	ASK_TRAITS,   /* likewise, nothing. Number: enum ends_trait; text: that of ends_traits() */
	ASK_ENDS,     /* likewise, a function; offset: where it begins; image: 1 if a library throws. Number: where a call begins; known: 1 if it
			 ends at its exits; text: the exits, 8 bytes each */
	ASK_SWITCHES, /* likewise, nothing; text: an array of struct ends_switch */
	ASK_INSTRUCTION, /* likewise, a function; offset: where it begins; image: how many bytes behind that the instruction lies. Number: its
			    offset */
	ASK_ARGUMENTS, /* likewise, a function, a line break, and expressions; image: see below; offset: where the function begins, or, with
			  ASK_IN_FUNCTION, an instruction in it. With ASK_LENIENTLY, lines for members_choose() follow another line break, and
			  arguments that cannot be found are absent. Text: an array of struct argument_found, and behind it why the first absent
			  one is absent */
	ASK_PARAMETERS, /* likewise, a function; offset: where it begins. Number: 1 if DWARF knows the function; text: expressions */
	ASK_TYPE, /* no file; text: a mangled type name. Text of the answer: the name as source code has it */
	ASK_BLOCK, /* about an image; text: its name, a NUL, and how many bytes behind the offset the branch lies. Answer: a struct image_block */
	ASK_VARIABLE_AT, /* likewise; behind the NUL a distance. Number: which byte of the variable lies there; text: the variable's name */
	ASK_CONFINED, /* no file, no text. Number: the rights that the process could not drop, as confine_wholly() returns them. Asked first, so
			 that the process waits for a question from its start on, and does not look like one that has itself asked by this socket */
	QUESTIONS
};

/* The values of `image` in a question of kind ASK_ARGUMENTS. */
enum { ASK_AT_ENTRY, ASK_IN_FUNCTION, ASK_LENIENTLY /* at the entry */ };

struct lookup_question {
	uint32_t kind, image;
	uint64_t offset;
};

enum answer_kind {
	ANSWER_DONE,   /* number, text */
	ANSWER_FAILED, /* text: the reason */
	ANSWER_MORE,   /* text: one of several */
	ANSWER_PLACE,  /* number: 1 if code lies there; texts: functions */
	ANSWER_WISH,   /* asks for a debug file. Number: enum debug_place; text: link or build id */
};

struct lookup_answer {
	uint32_t kind;
	uint32_t count; /* number of texts, each with a NUL behind it */
	uint64_t number;
	uint8_t known, interrupted, indirect, base; /* fields of a struct step, as the next two */
	int32_t offset;
	struct {
		int32_t rule, at;
	} registers[STEP_REGISTERS];
};

/* The longest message must fit in; names are cut beyond DEMANGLED_MAX. */
enum { TEXT_MAX = 4096 + 16, QUESTION_ROOM = 8192 + 512, ANSWER_ROOM = sizeof(struct lookup_answer) + IMAGE_FUNCTIONS * TEXT_MAX };

/* Sends a message of two parts, and the file `fd` unless that is -1. Returns 0; -1 with errno. */
int lookup_send(int socket, const void *head, size_t size, const void *text, size_t length, int fd, int flags);

#endif
