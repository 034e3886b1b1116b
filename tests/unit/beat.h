/*
 * beat: how the format of the tests' own event test:beat begins, as every event's does; its own fields lie from byte 8 on.
 */
#ifndef TESTS_UNIT_BEAT_H
#define TESTS_UNIT_BEAT_H

#define BEAT_COMMON                                                                                                   \
	"name: beat\nID: 300\nformat:\n"                                                                             \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                 \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#endif
