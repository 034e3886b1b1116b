/* The debugging information of a program, asked where arguments of its functions are; and expressions, as a user may write them. */
#include <string.h>

#include "base/memory.h"
#include "program/argument.h"
#include "program/argument_find.h"
#include "program/argument_list.h"
#include "program/members.h"
#include "support/fuzz.h"
#include "support/module.h"

enum { ADDRESSES = 24 };

static void parse(const uint8_t *data, size_t size)
{
	char *text = memory_text((const char *)data, strnlen((const char *)data, size));
	size_t length = strlen(text);
	struct arguments arguments;

	arguments_in(text, &length);
	fuzz_must(length <= strlen(text));
	if (arguments_parse(text, &arguments) == 0)
		fuzz_must(arguments.count > 0 && arguments.count <= ARGUMENTS_MAX);
	free(text);
}

/* What somebody wrote down is read without an end in sight, too. */
static void write_down(const uint8_t *data, size_t size)
{
	char *text = memory_text((const char *)data, size);
	const struct members_type of = {"client", strlen("client")};
	struct members_type type;
	const char *wrong = NULL;
	int64_t offset;

	if (members_check(text, &wrong) < 0)
		fuzz_must(wrong >= text && *wrong);
	if (members_base(text, "function", "%1", &type))
		fuzz_must(type.length > 0);
	if (members_find(text, &of, "id", &offset, &type))
		fuzz_must(offset >= 0);
	free(text);
}

static void find(const struct argument_question *question)
{
	static const char *const all[] = {"%1->id:u64,fd=%1->conn->fd:s32,cmd=%1->cmd:string,other=ret->id:u64,far=%1->conn->conn->conn->conn->conn->conn:ptr", "argc,argv[1],envp[2]:x64,ret,%1,%9:string,a,b,c,n,s,this->x", "r->url,p.a,b=p->a[2].b,c=ret->a,@counter,d=@a::b"};
	struct argument_found found;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct arguments arguments;

		fuzz_must(arguments_parse(all[i], &arguments) == 0);
		for (int n = 0; n < arguments.count; n++)
			if (argument_find(question, &arguments.items[n], &found) == 0)
				fuzz_must(argument_is_sane(&found));
	}
}

static void list(const struct argument_question *question)
{
	char text[ARGUMENT_LIST_ROOM];
	int count = argument_list(question, text);
	struct arguments arguments;

	fuzz_must(count <= ARGUMENTS_MAX && strlen(text) < ARGUMENT_LIST_ROOM);
	if (count > 0)
		fuzz_must(arguments_parse(text, &arguments) == 0 && arguments.count == count);
	else
		fuzz_must(!*text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct argument_question question = {
		.behind = 0x1000,
		.function = "function",
		.members = "function.%1=client function.ret=client client.id=0:u64 client.conn=8:client client.cmd=16 client.fd=4:u8",
	};
	size_t pace = size / ADDRESSES + 1;
	Dwfl_Module *module;
	Dwfl *dwfl = fuzz_module(data, size, &module);
	GElf_Addr bias;

	parse(data, size);
	write_down(data, size);
	if (!dwfl)
		return 0;
	question.elf = dwfl_module_getelf(module, &bias);
	question.module = module;
	for (question.address = 0; question.elf && question.address < size; question.address += pace) {
		question.at_entry = question.address / pace % 2;
		question.frame_known = true;
		find(&question);
		if (question.at_entry)
			list(&question);
	}
	dwfl_end(dwfl);
	return 0;
}
