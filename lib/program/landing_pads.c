#include "program/landing_pads.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/memory.h"

/* Bytes that are read in sequence, and their address in memory. */
struct bytes {
	const uint8_t *at, *end;
	uint64_t address;
	bool bad; /* read beyond the end, or with an unknown encoding */
};

static uint64_t take(struct bytes *bytes, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(bytes->end - bytes->at) < size) {
		bytes->bad = true;
		return 0;
	}
	memcpy(&value, bytes->at, size);
	bytes->at += size;
	bytes->address += size;
	return value;
}

static uint64_t take_leb(struct bytes *bytes, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)take(bytes, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !bytes->bad);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= ~UINT64_C(0) << shift;
	return value;
}

/* Reads a number by its encoding (DW_EH_PE_...), which says how it is stored and what it is relative to. */
static uint64_t take_encoded(struct bytes *bytes, uint8_t encoding)
{
	uint64_t here = bytes->address, value;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = take(bytes, 8);
		break;
	case DW_EH_PE_uleb128:
		value = take_leb(bytes, false);
		break;
	case DW_EH_PE_sleb128:
		value = take_leb(bytes, true);
		break;
	case DW_EH_PE_udata2:
		value = take(bytes, 2);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)(int64_t)(int16_t)take(bytes, 2);
		break;
	case DW_EH_PE_udata4:
		value = take(bytes, 4);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int64_t)(int32_t)take(bytes, 4);
		break;
	default:
		bytes->bad = true;
		return 0;
	}
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return value ? value + here : 0;
	default:
		bytes->bad = true;
		return 0;
	}
}

/* How a CIE's functions are described, by the letters of its augmentation. */
struct augmentation {
	uint8_t pointer, table; /* encodings */
	bool known, personality;
};

static struct augmentation read_augmentation(const Dwarf_CIE *cie)
{
	struct augmentation found = {.pointer = DW_EH_PE_absptr, .table = DW_EH_PE_omit};
	struct bytes bytes = {cie->augmentation_data, cie->augmentation_data + cie->augmentation_data_size, 0, false};

	if (cie->augmentation[0] != 'z' || !cie->augmentation_data)
		return found;
	for (const char *letter = cie->augmentation + 1; *letter && !bytes.bad; letter++) {
		if (*letter == 'R') {
			found.pointer = (uint8_t)take(&bytes, 1);
		} else if (*letter == 'L') {
			found.table = (uint8_t)take(&bytes, 1);
		} else if (*letter == 'P') {
			take_encoded(&bytes, (uint8_t)take(&bytes, 1) & 0x0f);
			found.personality = true;
		} else if (*letter != 'S' && *letter != 'B') {
			return found;
		}
	}
	found.known = !bytes.bad;
	return found;
}

static void add_function(struct landing_pads *pads, const struct augmentation *how, const Dwarf_FDE *fde, const struct stretch *frames)
{
	struct bytes bytes = {fde->start, fde->end, frames->address + (uint64_t)(fde->start - frames->bytes), false};
	struct landing_function function = {0};

	function.start = take_encoded(&bytes, how->pointer);
	function.size = take_encoded(&bytes, how->pointer & 0x0f);
	take_leb(&bytes, false); /* length of the augmentation */
	if (how->table != DW_EH_PE_omit)
		function.table = take_encoded(&bytes, how->table);
	if (!bytes.bad)
		*ARRAY_ADD(pads) = function;
}

static int compare(const void *left, const void *right)
{
	const struct landing_function *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Reads the CIE that an FDE refers to. */
static bool cie_of(const unsigned char *ident, Elf_Data *data, Dwarf_Off offset, struct augmentation *how)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (dwarf_next_cfi(ident, data, true, offset, &next, &entry) != 0 || !dwarf_cfi_cie_p(&entry))
		return false;
	*how = read_augmentation(&entry.cie);
	return true;
}

void landing_pads_read(struct landing_pads *pads, const unsigned char *ident, const struct stretch *frames)
{
	Elf_Data data = {.d_buf = (void *)frames->bytes, .d_size = frames->size, .d_type = ELF_T_BYTE, .d_version = EV_CURRENT, .d_align = 1};
	struct augmentation how = {0};
	Dwarf_Off cie = (Dwarf_Off)-1, next;

	for (Dwarf_Off at = 0; at != (Dwarf_Off)-1 && at < frames->size; at = next) {
		Dwarf_CFI_Entry entry;
		int status = dwarf_next_cfi(ident, &data, true, at, &next, &entry);

		if (status != 0 || next <= at)
			break;
		if (dwarf_cfi_cie_p(&entry)) {
			pads->exceptions |= read_augmentation(&entry.cie).personality;
			continue;
		}
		if (entry.fde.CIE_pointer != cie && !cie_of(ident, &data, entry.fde.CIE_pointer, &how))
			continue;
		cie = entry.fde.CIE_pointer;
		if (how.known)
			add_function(pads, &how, &entry.fde, frames);
	}
	if (pads->count)
		qsort(pads->items, pads->count, sizeof(*pads->items), compare);
}

const struct landing_function *landing_pads_function(const struct landing_pads *pads, uint64_t start)
{
	size_t count = COUNT_UNTIL(pads->items, pads->count, start, start);

	return count && pads->items[count - 1].start == start ? &pads->items[count - 1] : NULL;
}

static bool open_table(struct bytes *bytes, uint64_t address, const struct stretch *code, size_t codes)
{
	for (size_t i = 0; i < codes; i++)
		if (address >= code[i].address && address - code[i].address < code[i].size) {
			*bytes = (struct bytes){code[i].bytes + (address - code[i].address), code[i].bytes + code[i].size, address, false};
			return true;
		}
	return false;
}

/* Returns the address that the landing pads are relative to. */
static uint64_t take_base(struct bytes *bytes, uint64_t start)
{
	uint8_t encoding = (uint8_t)take(bytes, 1);

	return encoding == DW_EH_PE_omit ? start : take_encoded(bytes, encoding);
}

static int add_pad(uint64_t found[LANDING_PADS_MAX], int count, uint64_t pad)
{
	for (int i = 0; i < count; i++)
		if (found[i] == pad)
			return count;
	if (count == LANDING_PADS_MAX)
		return -1;
	found[count] = pad;
	return count + 1;
}

int landing_pads_of(const struct landing_function *function, const struct stretch *code, size_t codes, uint64_t found[LANDING_PADS_MAX])
{
	struct bytes bytes = {0};
	const uint8_t *end;
	uint64_t base, length;
	uint8_t encoding;
	int count = 0;

	if (!function->table)
		return 0;
	if (!open_table(&bytes, function->table, code, codes))
		return -1;
	base = take_base(&bytes, function->start);
	if ((uint8_t)take(&bytes, 1) != DW_EH_PE_omit) /* offset of the type table, which is not needed */
		take_leb(&bytes, false);
	encoding = (uint8_t)take(&bytes, 1);
	length = take_leb(&bytes, false);
	if (bytes.bad || length > (uint64_t)(bytes.end - bytes.at))
		return -1;
	end = bytes.at + length;
	while (bytes.at < end && !bytes.bad && count >= 0) {
		uint64_t pad;

		take_encoded(&bytes, encoding); /* start and length of the code that may throw */
		take_encoded(&bytes, encoding);
		pad = take_encoded(&bytes, encoding);
		take_leb(&bytes, false); /* the action */
		if (pad && !bytes.bad)
			count = add_pad(found, count, base + pad);
	}
	return bytes.bad ? -1 : count;
}

void landing_pads_free(struct landing_pads *pads)
{
	free(pads->items);
	*pads = (struct landing_pads){0};
}
