/* Massive: two queries of which neither needs the other's answer, one behind the other. */
#include <unistd.h>

#include "serve.h"

METHOD int query_rows(const char *sql)
{
	usleep(15000);
	return *sql == 's' ? 10 : 0;
}

METHOD int query_count(const char *sql)
{
	usleep(14000);
	return *sql == 's' ? 500 : 0;
}

METHOD int first_row(int request) { return request; }
METHOD int handle(int request)
{
	if (request % 4 != 3)
		return first_row(request);
	return query_rows("select * from films limit 10") + query_count("select count(*) from films");
}

int main(void)
{
	serve(handle);
	return 0;
}
