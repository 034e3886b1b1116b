/*
 * fail: error messages of library functions.
 *
 * A function that can fail returns -1 (or NULL) and leaves one sentence behind: lower case, no full stop, the
 * subject in quotes, the reason, and where one exists the next step. Only cmd/ prints it and exits.
 *
 *	if (open(path, O_RDONLY) < 0)
 *		return fail_errno("cannot open '%s'", path);
 *
 * The sentence stays until the next fail(). A caller that knows more may put words in front with fail_prefix().
 */
#ifndef BASE_FAIL_H
#define BASE_FAIL_H

/* Remembers the sentence; always returns -1. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, with ": " and the text of errno at the end. */
int fail_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Puts "PREFIX: " before the remembered sentence; always returns -1. */
int fail_prefix(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The remembered sentence; "unknown error" before the first failure. */
const char *fail_text(void);

#endif
