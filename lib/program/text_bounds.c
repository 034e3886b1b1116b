#include "program/text_bounds.h"

#include <string.h>

#include <gelf.h>

static bool is_within(const struct text_bounds *bounds, const char *text)
{
	return bounds->start && text >= bounds->start && text < bounds->end;
}

static bool take(struct text_bounds *bounds, const Elf_Data *data, const char *text)
{
	const char *nul = data && data->d_buf && data->d_size ? memrchr(data->d_buf, '\0', data->d_size) : NULL;

	if (!nul)
		return false;
	*bounds = (struct text_bounds){data->d_buf, nul + 1};
	return is_within(bounds, text);
}

/* Tells whether a section holds names of symbols, or texts of DWARF. */
static bool may_hold_texts(Elf *elf, size_t names, const GElf_Shdr *header)
{
	static const char *const endings[] = {"debug_info", "debug_types", "debug_str", "debug_line_str"};
	const char *name = header->sh_type == SHT_STRTAB ? NULL : elf_strptr(elf, names, header->sh_name);

	for (size_t i = 0; name && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strstr(name, endings[i]))
			return header->sh_type != SHT_NOBITS;
	return header->sh_type == SHT_STRTAB;
}

static bool find_section(struct text_bounds *bounds, Elf *elf, const char *text)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && may_hold_texts(elf, names, &header) &&
		    take(bounds, elf_getdata(section, NULL), text))
			return true;
	return false;
}

static bool find_segment(Elf *elf, GElf_Word type, GElf_Addr address, GElf_Phdr *segment)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, segment) && segment->p_type == type &&
		    (type != PT_LOAD || (address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)))
			return true;
	return false;
}

/* If there are no sections, libdwfl takes the names from the dynamic segment; libelf returns the same bytes when it is asked again. */
static bool find_dynamic(struct text_bounds *bounds, Elf *elf, const char *text)
{
	GElf_Addr names = 0, size = 0;
	GElf_Phdr segment;
	GElf_Dyn entry;
	Elf_Data *table;

	if (!find_segment(elf, PT_DYNAMIC, 0, &segment))
		return false;
	table = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_DYN);
	for (int i = 0; table && gelf_getdyn(table, i, &entry) && entry.d_tag != DT_NULL; i++) {
		names = entry.d_tag == DT_STRTAB ? entry.d_un.d_ptr : names;
		size = entry.d_tag == DT_STRSZ ? entry.d_un.d_val : size;
	}
	return find_segment(elf, PT_LOAD, names, &segment) &&
	       take(bounds, elf_getdata_rawchunk(elf, (int64_t)(names - segment.p_vaddr + segment.p_offset), size, ELF_T_BYTE), text);
}

bool text_ends(struct text_bounds *bounds, Elf *elf, const char *text)
{
	return is_within(bounds, text) || find_section(bounds, elf, text) || find_dynamic(bounds, elf, text);
}
