# What one of three hosts that talk over TCP records, as a stream of text: awk -v host=b -v ppm=37 -v shift=3600 -f talk.awk
# a asks b, and b asks c: requests of 20 bytes and answers of 60, each way in 5 to 100 us of true time, COUNT times (200) in 10 seconds.
# The host's clock is shifted, runs fast by so many ppm, and jumps by STEP seconds when STEP_AT of true time is over. `oneway`: no answers.
# At each exchange every host also records x:mark n=, n in the order of true time.
function random() {
	state = (state * 16807) % 2147483647 # a Lehmer generator: rand() is another in every awk
	return state / 2147483647
}

function clock(t) {
	return t + (t - 1000) * ppm / 1e6 + shift + (step && t > step_at ? step : 0)
}

function event(who, t, tid, text) {
	if (who == host)
		printf "event ts=%.9f cpu=%d tid=%d comm=%s name=%s\n", clock(t), tid % 2, tid, who, text | "sort -s -k2.4,2n"
}

# The ends' addresses in the kernel, and of the network: of an asker 10.0.0.N, port 40000, of an answerer port 80.
function state_of(who, t, tid, sk, from, to, old, new, port, peer) {
	event(who, t, tid, sprintf("sock:inet_sock_set_state skaddr=0x%x oldstate=%d newstate=%d sport=%d dport=%d family=2 protocol=6 saddr=0xa,0x0,0x0,0x%x daddr=0xa,0x0,0x0,0x%x", sk, old, new, port, peer, from, to))
}

function connect(t, asker, answerer, from, to, k) {
	state_of(asker, t, 10 + from, 4096 + k, from, to, 7, 2, 0, 80)
	state_of(answerer, t + 4e-5, 0, 8192 + k, to, from, 10, 3, 80, 40000)
	state_of(asker, t + 6e-5, 0, 4096 + k, from, to, 2, 1, 40000, 80)
	state_of(answerer, t + 8e-5, 0, 8192 + k, to, from, 3, 1, 80, 40000)
}

# The call's event comes late: the bytes may have arrived by then.
function send(t, who, tid, sk, other, other_tid, other_sk, length_,   d) {
	d = 5e-6 + 95e-6 * random() * random()
	event(who, t, tid, "syscalls:sys_enter_sendto fd=5 len=" length_)
	event(who, t + 5e-5, tid, sprintf("sock:sock_send_length sk=0x%x family=2 protocol=6 ret=%d flags=0", sk, length_))
	event(other, t + d, 0, sprintf("tcp:tcp_probe sport=1 dport=1 family=2 data_len=%d skaddr=0x%x", length_, other_sk))
	event(other, t + d + 2e-5, other_tid, sprintf("sock:sock_recv_length sk=0x%x family=2 protocol=6 ret=%d flags=0", other_sk, length_))
	return t + d + 4e-5
}

function exchange(t, asker, answerer, from, to, k) {
	t = send(t, asker, 10 + from, 4096 + k, answerer, 20 + to, 8192 + k, 20)
	if (!oneway)
		send(t + 1e-5, answerer, 20 + to, 8192 + k, asker, 10 + from, 4096 + k, 60)
}

BEGIN {
	state = 7
	count = count ? count : 200
	printf "stream version=1 host=%s kernel=6.18 clock=mono wall=%.9f\n", host, 1790000000 - shift
	connect(1000, "a", "b", 1, 2, 1)
	connect(1000.001, "b", "c", 2, 3, 2)
	for (i = 0; i < count; i++) {
		t = 1000.01 + i * 10 / count
		exchange(t, "a", "b", 1, 2, 1)
		exchange(t + 0.002, "b", "c", 2, 3, 2)
		event("a", t + 0.004, 11, "x:mark n=" 3 * i)
		event("b", t + 0.0042, 11, "x:mark n=" 3 * i + 1)
		event("c", t + 0.0044, 11, "x:mark n=" 3 * i + 2)
	}
}
