#include "source/instruction.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
static bool read_code(const char *path, uint64_t offset, unsigned char *code, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool read = fd >= 0 && pread(fd, code, size, (off_t)offset) == (ssize_t)size;

	if (fd >= 0)
		close(fd);
	return read;
}
#endif

bool instruction_is_emulated(const char *path, uint64_t offset)
{
#if defined(__x86_64__)
	enum { LONG = 0x0f, EXTENDED = 0x41, NOP = 0x90, CALL = 0xe8, JUMP = 0xe9, JUMP_SHORT = 0xeb, PUSH = 0x50, BRANCH = 0x70, BRANCH_LONG = 0x80 };
	unsigned char code[2] = {0};
	unsigned first;

	if (!read_code(path, offset, code, sizeof(code)))
		return false;
	first = code[0] == EXTENDED ? code[1] : code[0];
	if ((first & 0xf8) == PUSH)
		return true;
	return code[0] == NOP || code[0] == CALL || code[0] == JUMP || code[0] == JUMP_SHORT || (code[0] & 0xf0) == BRANCH ||
	       (code[0] == LONG && (code[1] & 0xf0) == BRANCH_LONG);
#else
	(void)path;
	(void)offset;
	return true;
#endif
}

bool instruction_is_return(int fd, uint64_t offset)
{
	enum { RET = 0xc3, RET_POP = 0xc2, REPEAT = 0xf3, BOUND = 0xf2 };
	unsigned char code[2];

	if (pread(fd, code, sizeof(code), (off_t)offset) != sizeof(code))
		return false;
	return code[0] == RET || code[0] == RET_POP || ((code[0] == REPEAT || code[0] == BOUND) && code[1] == RET);
}

uint64_t instruction_past_entry(const char *path, uint64_t offset, bool bare)
{
#if defined(__x86_64__)
	static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, room[] = {0x48, 0x83, 0xec}; /* endbr64; sub $byte,%rsp */
	unsigned char code[sizeof(landing) + sizeof(room)] = {0};
	uint64_t at = offset;

	if (!read_code(path, offset, code, sizeof(code)))
		return offset;
	if (memcmp(code, landing, sizeof(landing)) == 0)
		at += sizeof(landing);
	if (bare && memcmp(code + (at - offset), room, sizeof(room)) == 0)
		at += sizeof(room) + 1;
	return instruction_is_emulated(path, at) ? at : offset;
#else
	(void)path;
	(void)bare;
	return offset;
#endif
}
