#include "fleet/link.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "fleet/parcel.h"
#include "fleet/subject.h"

enum {
	ANSWER_MS = 30000,
	PATIENT_ANSWER_MS = 5000, /* a patient link tries again */
	PULL_MS = 1000,
	PULL_MOST = 256, /* messages */
	PING_MS = 60000,
	RETRY_MS = 1000,
	RETRY_MOST_MS = 600000,
	ACKNOWLEDGE_SECONDS = 10, /* an unacknowledged message comes again after this */
	ORDERS_MOST_BYTES = 1 << 20,
	BUCKET_MOST_BYTES = 16 << 20,
};

#define SECONDS(n) ((int64_t)(n)*1000000000)
#define DAYS(n)	   SECONDS((n)*86400)

struct fleet_link {
	struct link_options options;
	char *inbox;
	natsOptions *settings;
	natsConnection *connection;
	jsCtx *store;
	natsSubscription *changes, *pulled;
	natsMsgList list;
	struct fleet_message messages[PULL_MOST];
	unsigned api;	 /* index in apis[] of the API that answered last */
	time_t retry_at; /* when to connect anew after the library gave up; 0: not set */
	unsigned retries;
	/* shared with the library's threads, under `lock` */
	pthread_mutex_t lock;
	char *complaint;
	unsigned connections;
	bool changed;
};

#define ONE_ACCOUNT "this machine has the hub's account on the server, and so could change the orders; see 'messages of a fleet' in tailblame-stream(5)"

static const char *const apis[] = {FLEET_EDGE_API, FLEET_HUB_API};

/* The library's last message, without the place in its source. */
static const char *last_error(natsStatus status)
{
	const char *text = nats_GetLastError(NULL), *end = text && *text == '(' ? strstr(text, "): ") : NULL;

	return end ? end + 3 : text && *text ? text : natsStatus_GetText(status);
}

static int64_t answer_ms(const struct fleet_link *link)
{
	return link->options.patient ? PATIENT_ANSWER_MS : ANSWER_MS;
}

static int fail_nats(const char *what, natsStatus status, jsErrCode code)
{
	if (code)
		return fail("%s: %s (error %d)", what, last_error(status), (int)code);
	return fail("%s: %s", what, natsStatus_GetText(status));
}

static void complain(struct fleet_link *link, char *text)
{
	pthread_mutex_lock(&link->lock);
	free(link->complaint);
	link->complaint = text;
	pthread_mutex_unlock(&link->lock);
}

char *fleet_link_complaint(struct fleet_link *link)
{
	char *text;

	pthread_mutex_lock(&link->lock);
	text = link->complaint;
	link->complaint = NULL;
	pthread_mutex_unlock(&link->lock);
	return text;
}

/* The library reports a refused publish or subscription only here. */
static void error_told(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *closure)
{
	const char *text = NULL;

	(void)subscription;
	natsConnection_GetLastError(connection, &text);
	complain(closure, memory_format("the server says: %s", text && *text ? text : natsStatus_GetText(status)));
}

static void connected(natsConnection *connection, void *closure)
{
	struct fleet_link *link = closure;

	(void)connection;
	pthread_mutex_lock(&link->lock);
	link->connections++;
	link->changed = true;
	pthread_mutex_unlock(&link->lock);
}

static void changed(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
	struct fleet_link *link = closure;

	(void)connection;
	(void)subscription;
	natsMsg_Destroy(message);
	pthread_mutex_lock(&link->lock);
	link->changed = true;
	pthread_mutex_unlock(&link->lock);
}

/* The delay in ms doubles with each try, with jitter, so that a fleet does not come back all at once. */
static int64_t retry_delay(unsigned tries)
{
	int64_t delay = (int64_t)RETRY_MS << (tries < 10 ? tries : 10);

	if (delay > RETRY_MOST_MS)
		delay = RETRY_MOST_MS;
	return delay / 2 + (int64_t)((double)random() / RAND_MAX * (double)delay / 2);
}

static int64_t delay_of(natsConnection *connection, int attempts, void *closure)
{
	(void)connection;
	(void)closure;
	return retry_delay(attempts > 0 ? (unsigned)attempts - 1 : 0);
}

static natsStatus set_login(natsOptions *settings, const char *path)
{
	size_t length;
	char *text = file_read(path, &length), *rest = NULL;
	char *user = text ? strtok_r(text, " \t\r\n", &rest) : NULL, *password = user ? strtok_r(NULL, " \t\r\n", &rest) : NULL;
	natsStatus status = password ? natsOptions_SetUserInfo(settings, user, password) : NATS_INVALID_ARG;

	if (text && !password)
		fail("'%s' has no user and password", path);
	if (text)
		explicit_bzero(text, length);
	free(text);
	return status;
}

static natsStatus set_servers(natsOptions *settings, const char *list)
{
	char *copy = memory_text(list, strlen(list)), *rest = NULL;
	ARRAY(const char *) urls = {0};
	natsStatus status;

	for (char *url = strtok_r(copy, ",", &rest); url; url = strtok_r(NULL, ",", &rest))
		*ARRAY_ADD(&urls) = url;
	status = urls.count ? natsOptions_SetServers(settings, urls.items, (int)urls.count) : NATS_INVALID_ARG;
	if (status == NATS_OK && strstr(list, "tls://"))
		status = natsOptions_SetSecure(settings, true);
	free(urls.items);
	free(copy);
	return status;
}

/* Sets the login and certificates of the connection. Returns 0; -1 after fail(). */
static int set_security(const struct link_options *options, natsOptions *settings)
{
	fail("%s", "");
	if (options->login && set_login(settings, options->login) != NATS_OK)
		return *fail_text() ? -1 : fail("cannot use the login of '%s'", options->login);
	if (options->ca && natsOptions_LoadCATrustedCertificates(settings, options->ca) != NATS_OK)
		return fail("cannot use the certificates of '%s': %s", options->ca, last_error(NATS_ERR));
	if (options->cert && natsOptions_LoadCertificatesChain(settings, options->cert, options->key ? options->key : options->cert) != NATS_OK)
		return fail("cannot use the certificate '%s': %s", options->cert, last_error(NATS_ERR));
	return 0;
}

static int set_options(struct fleet_link *link)
{
	const struct link_options *options = &link->options;
	natsStatus status = natsOptions_Create(&link->settings);
	natsOptions *settings = link->settings;

	if (status == NATS_OK && set_servers(settings, options->server) != NATS_OK)
		return fail("'%s' is no address of a server", options->server);
	if (status == NATS_OK && set_security(options, settings) < 0)
		return -1;
	if (status == NATS_OK && options->name)
		status = natsOptions_SetCustomInboxPrefix(settings, link->inbox);
	if (status == NATS_OK)
		status = natsOptions_SetTimeout(settings, answer_ms(link));
	if (status == NATS_OK)
		status = natsOptions_SetPingInterval(settings, PING_MS);
	if (status == NATS_OK)
		status = natsOptions_SetAllowReconnect(settings, options->patient);
	if (status == NATS_OK && options->patient)
		status = natsOptions_SetMaxReconnect(settings, -1);
	if (status == NATS_OK && options->patient)
		status = natsOptions_SetCustomReconnectDelay(settings, delay_of, NULL);
	if (status == NATS_OK && options->patient)
		status = natsOptions_SetRetryOnFailedConnect(settings, true, connected, link);
	if (status == NATS_OK)
		status = natsOptions_SetReconnectedCB(settings, connected, link);
	if (status == NATS_OK)
		status = natsOptions_SetErrorHandler(settings, error_told, link);
	return status == NATS_OK ? 0 : fail_nats("cannot set up a connection", status, 0);
}

static void disconnect(struct fleet_link *link)
{
	natsMsgList_Destroy(&link->list);
	natsSubscription_Destroy(link->pulled);
	natsSubscription_Destroy(link->changes);
	jsCtx_Destroy(link->store);
	natsConnection_Destroy(link->connection);
	link->pulled = link->changes = NULL;
	link->store = NULL;
	link->connection = NULL;
}

static int make_connection(struct fleet_link *link)
{
	jsOptions waits;
	natsStatus status = natsConnection_Connect(&link->connection, link->settings);

	if (status == NATS_OK)
		connected(link->connection, link);
	else if (status != NATS_NOT_YET_CONNECTED)
		return fail("cannot connect to '%s': %s", link->options.server, last_error(status));
	jsOptions_Init(&waits);
	waits.Wait = answer_ms(link);
	status = natsConnection_JetStream(&link->store, link->connection, &waits);
	if (status == NATS_OK && link->options.patient)
		status = natsConnection_Subscribe(&link->changes, link->connection, FLEET_ORDERS_SUBJECT, changed, link);
	return status == NATS_OK ? 0 : fail_nats("cannot use the connection", status, 0);
}

struct fleet_link *fleet_link_open(const struct link_options *options)
{
	struct fleet_link *link = NEW(struct fleet_link);
	char *token = options->name ? subject_token(options->name) : NULL;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	srandom((unsigned)now.tv_nsec ^ (unsigned)now.tv_sec);
	link->options = *options;
	link->api = options->name ? 0 : 1;
	link->inbox = memory_format("_INBOX_%s", token ? token : "");
	free(token);
	pthread_mutex_init(&link->lock, NULL);
	if (set_options(link) == 0 && make_connection(link) == 0)
		return link;
	fleet_link_close(link);
	return NULL;
}

void fleet_link_close(struct fleet_link *link)
{
	disconnect(link);
	natsOptions_Destroy(link->settings);
	pthread_mutex_destroy(&link->lock);
	free(link->complaint);
	free(link->inbox);
	free(link);
}

/* The library gives up after two refusals, although somebody may correct the login: connects anew after a delay. */
static void revive(struct fleet_link *link)
{
	time_t now = time(NULL);

	if (!link->options.patient || (link->connection && !natsConnection_IsClosed(link->connection)))
		return;
	if (link->retry_at == 0) {
		const char *why = NULL;

		if (link->connection)
			natsConnection_GetLastError(link->connection, &why);
		if (why && *why)
			complain(link, memory_format("the connection was closed: %s", why));
		link->retry_at = now + retry_delay(link->retries++) / 1000 + 1;
	}
	if (now < link->retry_at)
		return;
	link->retry_at = 0;
	disconnect(link);
	if (make_connection(link) < 0) {
		complain(link, memory_text(fail_text(), strlen(fail_text())));
		disconnect(link);
	}
}

unsigned fleet_link_connections(struct fleet_link *link, bool *up)
{
	unsigned count;

	revive(link);
	*up = link->connection && natsConnection_Status(link->connection) == NATS_CONN_STATUS_CONNECTED;
	if (*up)
		link->retries = 0;
	pthread_mutex_lock(&link->lock);
	count = link->connections;
	pthread_mutex_unlock(&link->lock);
	return count;
}

bool fleet_link_orders_changed(struct fleet_link *link)
{
	bool was;

	pthread_mutex_lock(&link->lock);
	was = link->changed;
	link->changed = false;
	pthread_mutex_unlock(&link->lock);
	return was;
}

int fleet_link_init(struct fleet_link *link, uint64_t most)
{
	const char *subjects[] = {FLEET_SUBJECTS, FLEET_MOMENTS};
	jsStreamConfig config;
	kvConfig bucket_config;
	kvStore *bucket = NULL;
	jsErrCode code = 0;
	natsStatus status;

	jsStreamConfig_Init(&config);
	config.Name = FLEET_STREAM;
	config.Subjects = subjects;
	config.SubjectsLen = 2;
	config.MaxBytes = (int64_t)most;
	config.MaxAge = DAYS(30);
	config.MaxMsgSize = PARCEL_MOST + 4096; /* a parcel and the headers of its message */
	config.Discard = js_DiscardNew;
	config.Storage = js_FileStorage;
	config.Duplicates = DAYS(7);
	status = js_AddStream(NULL, link->store, &config, NULL, &code);
	if (status != NATS_OK && code == JSStreamNameExistErr)
		status = js_UpdateStream(NULL, link->store, &config, NULL, &code);
	if (status != NATS_OK)
		return fail_nats("cannot make the stream " FLEET_STREAM, status, code);
	if (js_KeyValue(&bucket, link->store, FLEET_BUCKET) != NATS_OK) {
		kvConfig_Init(&bucket_config);
		bucket_config.Bucket = FLEET_BUCKET;
		bucket_config.MaxValueSize = ORDERS_MOST_BYTES;
		bucket_config.MaxBytes = BUCKET_MOST_BYTES;
		bucket_config.History = 1;
		bucket_config.StorageType = js_FileStorage;
		status = js_CreateKeyValue(&bucket, link->store, &bucket_config);
	}
	kvStore_Destroy(bucket);
	return status == NATS_OK ? 0 : fail_nats("cannot make the bucket " FLEET_BUCKET, status, 0);
}

int fleet_link_send(struct fleet_link *link, const char *subject, const char *name, const char *bytes, size_t size)
{
	jsPubOptions how;
	natsMsg *message = NULL;
	jsErrCode code = 0;
	natsStatus status = natsMsg_Create(&message, subject, NULL, bytes, (int)size);

	jsPubOptions_Init(&how);
	how.MsgId = name;
	how.MaxWait = answer_ms(link);
	how.ExpectStream = FLEET_STREAM;
	if (status == NATS_OK)
		status = js_PublishMsg(NULL, link->store, message, &how, &code);
	natsMsg_Destroy(message);
	return status == NATS_OK ? 0 : fail_nats("the server did not take a message", status, code);
}

/* Tells whether the API got no answer: JetStream does not answer there, or the server forbids the request, which only times out. */
static bool is_silent(natsStatus status, jsErrCode code)
{
	return status == NATS_NO_RESPONDERS || status == NATS_TIMEOUT || code == JSNotEnabledForAccountErr;
}

/*
 * A machine's account has no JetStream, and imports only this request, under FLEET_EDGE_API. If the machine has the hub's account instead, only
 * FLEET_HUB_API answers. So a machine tries the API that answered last, then the other one.
 */
static natsStatus ask_for_orders(struct fleet_link *link, natsMsg **message, jsErrCode *code)
{
	natsStatus status = NATS_TIMEOUT;
	bool was_silent = false;

	for (unsigned tries = link->options.name ? 2 : 1; tries > 0; tries--) {
		jsOptions how;

		jsOptions_Init(&how);
		how.Prefix = apis[link->api];
		how.Wait = answer_ms(link);
		*code = 0;
		status = js_GetLastMsg(message, link->store, FLEET_BUCKET_STREAM, FLEET_ORDERS_SUBJECT, &how, code);
		if (!is_silent(status, *code))
			break;
		was_silent |= status == NATS_TIMEOUT;
		link->api ^= tries > 1;
	}
	if (was_silent && link->api == 1 && !is_silent(status, *code)) /* replaces the complaint that the other API is forbidden */
		complain(link, memory_text(ONE_ACCOUNT, strlen(ONE_ACCOUNT)));
	return status;
}

char *fleet_link_orders(struct fleet_link *link, size_t *length, uint64_t *revision)
{
	natsMsg *message = NULL;
	jsErrCode code = 0;
	natsStatus status = ask_for_orders(link, &message, &code);
	char *text;

	*length = 0;
	*revision = 0;
	if (status == NATS_NOT_FOUND && code == JSNoMessageFoundErr)
		return memory_text("", 0);
	if (code == JSStreamNotFoundErr)
		fail("the server has no orders; run-hub init makes the place for them");
	else if (status != NATS_OK)
		fail_nats("cannot read the orders", status, code);
	if (status != NATS_OK)
		return NULL;
	*length = (size_t)natsMsg_GetDataLength(message);
	*revision = natsMsg_GetSequence(message);
	text = *length <= ORDERS_MOST_BYTES ? memory_text(natsMsg_GetData(message), *length) : NULL;
	natsMsg_Destroy(message);
	if (!text)
		fail("the orders on the server have more than %d bytes", ORDERS_MOST_BYTES);
	return text;
}

int fleet_link_put_orders(struct fleet_link *link, const char *text, uint64_t revision)
{
	kvStore *bucket = NULL;
	uint64_t next;
	natsStatus status = js_KeyValue(&bucket, link->store, FLEET_BUCKET);
	bool other;

	if (status == NATS_OK && revision)
		status = kvStore_Update(&next, bucket, FLEET_KEY, text, (int)strlen(text), revision);
	else if (status == NATS_OK)
		status = kvStore_Create(&next, bucket, FLEET_KEY, text, (int)strlen(text));
	kvStore_Destroy(bucket);
	other = status == NATS_ERR && strstr(nats_GetLastError(NULL), "wrong last sequence");
	return status == NATS_OK ? 0 : other ? 1 : fail_nats("cannot write the orders", status, 0);
}

static int subscribe(struct fleet_link *link, const char *name, const char *subjects)
{
	jsSubOptions how;
	jsErrCode code = 0;
	natsStatus status;

	jsSubOptions_Init(&how);
	how.Stream = FLEET_STREAM;
	how.Config.AckWait = SECONDS(ACKNOWLEDGE_SECONDS);
	status = js_PullSubscribe(&link->pulled, link->store, subjects, name, NULL, &how, &code);
	return status == NATS_OK ? 0 : fail_nats("cannot pull", status, code);
}

static int none_came(struct fleet_link *link, const char *name, bool *all_seen)
{
	jsConsumerInfo *info = NULL;
	jsErrCode code = 0;
	natsStatus status = js_GetConsumerInfo(&info, link->store, FLEET_STREAM, name, NULL, &code);

	if (status != NATS_OK)
		return fail_nats("cannot pull", status, code);
	*all_seen = info->NumPending == 0 && info->NumAckPending == 0;
	jsConsumerInfo_Destroy(info);
	return 0;
}

int fleet_link_pull(struct fleet_link *link, const char *name, const char *subjects, const struct fleet_message **messages, bool *all_seen)
{
	jsErrCode code = 0;
	natsStatus status;

	*all_seen = false;
	natsMsgList_Destroy(&link->list);
	revive(link);
	if (!link->store)
		return fail("there is no connection to '%s'", link->options.server);
	if (!link->pulled && subscribe(link, name, subjects) < 0)
		return -1;
	if (!link->options.patient && (none_came(link, name, all_seen) < 0 || *all_seen)) /* a patient pull waits below instead */
		return *all_seen ? 0 : -1;
	status = natsSubscription_Fetch(&link->list, link->pulled, PULL_MOST, PULL_MS, &code);
	if (status == NATS_TIMEOUT)
		return none_came(link, name, all_seen);
	if (status != NATS_OK)
		return fail_nats("cannot pull", status, code);
	for (int i = 0; i < link->list.Count; i++) {
		struct fleet_message *message = &link->messages[i];
		natsMsg *each = link->list.Msgs[i];

		*message = (struct fleet_message){.subject = natsMsg_GetSubject(each), .bytes = natsMsg_GetData(each)};
		message->size = (size_t)natsMsg_GetDataLength(each);
	}
	*messages = link->messages;
	return link->list.Count;
}

int fleet_link_acknowledge(struct fleet_link *link)
{
	natsStatus status = NATS_OK;

	for (int i = 0; i < link->list.Count && status == NATS_OK; i++)
		status = natsMsg_Ack(link->list.Msgs[i], NULL);
	if (status == NATS_OK)
		status = natsConnection_FlushTimeout(link->connection, answer_ms(link));
	natsMsgList_Destroy(&link->list);
	return status == NATS_OK ? 0 : fail_nats("cannot acknowledge", status, 0);
}
