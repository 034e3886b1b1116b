/*
 * markers.node: what Node lacks and node.js beside it needs: datagram sockets with a name, file locks, and thread ids.
 *
 * It is not part of the library; Node loads it. The few functions of Node-API that it calls are declared here, so that no headers of Node
 * are needed: its binary interface does not change (https://nodejs.org/api/n-api.html).
 *
 *	open(path)			a connected socket; -1: nobody listens there
 *	send(fd, rows, count, texts, ms)	the first `count` numbers of a Float64Array; texts: a Uint8Array; waits `ms` for room.
 *					Returns the bytes sent; or -errno
 *	close(fd)
 *	locked(path)			1: a process holds a write lock on the file
 *	thread()			the id of the calling thread
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);

int napi_create_function(napi_env env, const char *name, size_t length, napi_callback call, void *data, napi_value *result);
int napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);
int napi_get_cb_info(napi_env env, napi_callback_info info, size_t *count, napi_value *arguments, napi_value *self, void **data);
int napi_get_value_string_utf8(napi_env env, napi_value value, char *text, size_t room, size_t *length);
int napi_get_value_int32(napi_env env, napi_value value, int32_t *number);
int napi_create_int32(napi_env env, int32_t number, napi_value *result);
int napi_add_env_cleanup_hook(napi_env env, void (*call)(void *data), void *data);
int napi_remove_env_cleanup_hook(napi_env env, void (*call)(void *data), void *data);
int napi_get_typedarray_info(napi_env env, napi_value array, int *type, size_t *length, void **data, napi_value *buffer, size_t *offset);

napi_value napi_register_module_v1(napi_env env, napi_value exports);

enum { NAPI_UINT8_ARRAY = 1, NAPI_FLOAT64_ARRAY = 8, ARGUMENTS = 5 };

struct arguments {
	size_t count;
	napi_value value[ARGUMENTS];
};

static struct arguments arguments_of(napi_env env, napi_callback_info info)
{
	struct arguments arguments = {.count = ARGUMENTS};

	if (napi_get_cb_info(env, info, &arguments.count, arguments.value, NULL, NULL) != 0)
		arguments.count = 0;
	return arguments;
}

static napi_value number(napi_env env, int32_t value)
{
	napi_value result = NULL;

	napi_create_int32(env, value, &result);
	return result;
}

static int connect_to(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void close_left(void *fd)
{
	close((int)(intptr_t)fd);
}

/* A worker that ends, or is ended, leaves its sockets open: Node closes them then, unless they are closed before. */
static void forget(napi_env env, int fd)
{
	napi_remove_env_cleanup_hook(env, close_left, (void *)(intptr_t)fd);
}

static void keep(napi_env env, int fd)
{
	forget(env, fd); /* the program may have closed a socket of this number; Node aborts if a hook is added twice */
	napi_add_env_cleanup_hook(env, close_left, (void *)(intptr_t)fd);
}

static napi_value open_socket(napi_env env, napi_callback_info info)
{
	struct arguments arguments = arguments_of(env, info);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = 0;
	int fd;

	if (arguments.count < 1 || napi_get_value_string_utf8(env, arguments.value[0], address.sun_path, sizeof(address.sun_path), &length) != 0 ||
	    length + 1 >= sizeof(address.sun_path))
		return number(env, -1);
	fd = connect_to(&address);
	if (fd >= 0)
		keep(env, fd);
	return number(env, fd);
}

static napi_value send_markers(napi_env env, napi_callback_info info)
{
	struct arguments arguments = arguments_of(env, info);
	struct iovec parts[2] = {{0}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	int32_t fd = -1, count = 0, wait = 0;
	int types[2] = {-1, -1};
	size_t lengths[2] = {0, 0};
	ssize_t sent;

	if (arguments.count < ARGUMENTS || napi_get_value_int32(env, arguments.value[4], &wait) != 0 || napi_get_value_int32(env, arguments.value[0], &fd) != 0 || napi_get_value_int32(env, arguments.value[2], &count) != 0 ||
	    napi_get_typedarray_info(env, arguments.value[1], &types[0], &lengths[0], &parts[0].iov_base, NULL, NULL) != 0 ||
	    napi_get_typedarray_info(env, arguments.value[3], &types[1], &lengths[1], &parts[1].iov_base, NULL, NULL) != 0 ||
	    types[0] != NAPI_FLOAT64_ARRAY || types[1] != NAPI_UINT8_ARRAY || count < 0 || (size_t)count > lengths[0])
		return number(env, -EINVAL);
	if (wait > 0)
		poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, wait);
	parts[0].iov_len = (size_t)count * sizeof(double);
	parts[1].iov_len = lengths[1];
	sent = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	return number(env, sent < 0 ? -errno : (int32_t)sent);
}

static napi_value close_socket(napi_env env, napi_callback_info info)
{
	struct arguments arguments = arguments_of(env, info);
	int32_t fd = -1;

	if (arguments.count > 0 && napi_get_value_int32(env, arguments.value[0], &fd) == 0 && fd >= 0) {
		forget(env, fd);
		close(fd);
	}
	return number(env, 0);
}

static napi_value locked(napi_env env, napi_callback_info info)
{
	struct arguments arguments = arguments_of(env, info);
	char path[256];
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	size_t length = 0;
	int fd = -1, held = 0;

	if (arguments.count > 0 && napi_get_value_string_utf8(env, arguments.value[0], path, sizeof(path), &length) == 0 && length + 1 < sizeof(path))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		held = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
		close(fd);
	}
	return number(env, held);
}

static napi_value thread(napi_env env, napi_callback_info info)
{
	(void)info;
	return number(env, (int32_t)gettid());
}

napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
	static const struct {
		const char *name;
		napi_callback call;
	} functions[] = {{"open", open_socket}, {"send", send_markers}, {"close", close_socket}, {"locked", locked}, {"thread", thread}};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		napi_value function = NULL;

		if (napi_create_function(env, functions[i].name, strlen(functions[i].name), functions[i].call, NULL, &function) == 0)
			napi_set_named_property(env, exports, functions[i].name, function);
	}
	return exports;
}
