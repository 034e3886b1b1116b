#include "run/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->features; i++) {
		struct feature *feature = &table->feature[i];

		for (size_t v = 0; v < feature->values_count; v++)
			free(feature->values[v]);
		free(feature->name);
		free(feature->values);
		free(feature->numbers);
		free(feature->order);
		free(feature->words);
	}
	for (size_t i = 0; i < table->classes; i++)
		free(table->class_names[i]);
	free(table->class_names);
	free(table->class_counts);
	free(table->class_of);
	free(table->unit_of);
	free(table->feature);
	free(table);
}

static int compare_rows(const void *a, const void *b, void *numbers)
{
	const double *number = numbers;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	if (number[left] != number[right])
		return number[left] < number[right] ? -1 : 1;
	return left < right ? -1 : left > right;
}

void feature_set_numbers(struct feature *feature, double *numbers, const bool *absent, size_t rows)
{
	feature->numeric = true;
	feature->numbers = numbers;
	feature->order = memory_new(rows + 1, sizeof(*feature->order));
	for (size_t i = 0; i < rows; i++)
		if (!isnan(numbers[i]))
			feature->order[feature->known++] = (uint32_t)i;
	qsort_r(feature->order, feature->known, sizeof(*feature->order), compare_rows, numbers);
	if (!absent)
		return;
	feature->words = memory_new(rows, sizeof(*feature->words));
	for (size_t i = 0; i < rows; i++)
		feature->words[i] = absent[i] ? 0 : WORD_UNKNOWN;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sets a nominal feature: each distinct text is a value. */
static void set_words(struct feature *feature, char *const *texts, size_t rows)
{
	char **sorted = memory_new(rows + 1, sizeof(*sorted));
	size_t count = 0, different = 0;

	for (size_t i = 0; i < rows; i++)
		if (texts[i])
			sorted[count++] = texts[i];
	qsort(sorted, count, sizeof(*sorted), compare_texts);
	for (size_t i = 0; i < count; i++)
		if (different == 0 || strcmp(sorted[i], sorted[different - 1]))
			sorted[different++] = sorted[i];
	feature->words = memory_new(rows, sizeof(*feature->words));
	for (size_t i = 0; i < rows; i++) {
		char *const *found = texts[i] ? bsearch(&texts[i], sorted, different, sizeof(*sorted), compare_texts) : NULL;

		feature->words[i] = found ? (int)(found - sorted) : WORD_UNKNOWN;
	}
	for (size_t i = 0; i < different; i++)
		sorted[i] = memory_text(sorted[i], strlen(sorted[i]));
	feature->values = sorted;
	feature->values_count = different;
}

static void free_texts(char **texts, size_t rows)
{
	for (size_t i = 0; i < rows; i++)
		free(texts[i]);
	free(texts);
}

void feature_set_words(struct feature *feature, char **texts, size_t rows)
{
	set_words(feature, texts, rows);
	free_texts(texts, rows);
}

void feature_set(struct feature *feature, char **texts, size_t rows)
{
	double *numbers = memory_new(rows + 1, sizeof(*numbers));
	bool numeric = true, *absent = memory_new(rows + 1, sizeof(*absent)), any = false;

	for (size_t i = 0; i < rows; i++) {
		numbers[i] = NAN;
		absent[i] = texts[i] && feature->config && !strcmp(texts[i], "absent");
		any |= absent[i];
		if (texts[i] && !absent[i])
			numeric &= number_double(texts[i], strlen(texts[i]), &numbers[i]) == 0;
	}
	if (numeric) {
		feature_set_numbers(feature, numbers, any ? absent : NULL, rows);
	} else {
		set_words(feature, texts, rows);
		free(numbers);
	}
	free_texts(texts, rows);
	free(absent);
}
