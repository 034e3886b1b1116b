#!/usr/bin/env python3
"""A second implementation of the questions of graph-walk(1), written for clearness, over the records of a graph of everything.

	walk.py GRAPH COMMANDS		prints what graph-walk -f json --script=COMMANDS GRAPH should
	walk.py --random DIR FIRST LAST	writes random graphs, commands and answers: DIR/N.txt, DIR/N.commands, DIR/N.want

Reads at (THREAD FROM TO and NODE), culprit, similar and back with a node each. Times are whole nanoseconds.
"""
import random
import sys
from collections import Counter

KINDS = ["call", "async", "join", "wake", "timer", "ipc", "flag"]  # of edges; of those at the same time the last counts


def nanoseconds(text):
	seconds, _, rest = text.partition(".")
	return int(seconds) * 10**9 + int(rest.ljust(9, "0")[:9] or 0)


def seconds(ms):
	return "%d.%03d" % divmod(ms, 1000)


class Node:
	def __init__(self, fields):
		self.id, self.tid, self.name = int(fields["id"]), int(fields["tid"]), fields["name"]
		self.start, self.end, self.begin = (nanoseconds(fields[key]) for key in ("start", "end", "wait_from"))
		self.run, self.runnable = nanoseconds(fields["run"]), nanoseconds(fields["runnable"])
		self.identity = tuple(fields.get(key, "") for key in ("syscall", "object", "function"))
		self.lost = fields.get("lost") == "yes"
		self.words = frozenset(word for word in fields.get("events", "").split(";") if word)
		self.ended = fields.get("ended")
		self.boundary = fields.get("boundary") == "yes"
		self.edges = []  # strong ones that ended its wait: (ts, kind, from)
		self.weak = []
		self.before = None

	def wait(self):
		return self.end - self.begin

	def task(self):
		return next((word[5:] for word in sorted(self.words) if word.startswith("task=")), None)

	def ender(self):
		return max(self.edges, key=lambda e: (e[0], KINDS.index(e[1]), e[2].id), default=None)

	def origin(self):
		"""The wait that it came out of: the one before, but for boundaries in between."""
		node = self.before
		while node and node.boundary:
			node = node.before
		return node if node and (node.wait() > 0 or node.ended) else None

	def own_timer(self):
		edge = self.ender()
		return edge[1] == "timer" and edge[2].tid == self.tid if edge else self.ended == "timer"


class Graph:
	def __init__(self, path):
		self.nodes, self.signals, self.threads = {}, [], {}
		edges = []
		for line in open(path):
			kind, *rest = line.split()
			fields = dict(word.split("=", 1) for word in rest)
			fields = {key: value.strip('"') for key, value in fields.items()}
			if kind == "node":
				node = Node(fields)
				self.nodes[node.id] = node
				self.threads.setdefault(node.tid, []).append(node)
			elif kind == "edge":
				edges.append(fields)
			elif kind == "signal":
				self.signals.append((nanoseconds(fields["start"]), nanoseconds(fields["ts"]), int(fields["tid"])))
		for edge in edges:
			source, node = self.nodes[int(edge["from"])], self.nodes[int(edge["to"])]
			ts = nanoseconds(edge["ts"])
			if edge["kind"] != "seq" and ts >= node.begin:
				(node.weak if edge.get("weak") == "yes" else node.edges).append((ts, edge["kind"], source))
		for nodes in self.threads.values():
			nodes.sort(key=lambda n: (n.start, n.end, n.id))
			for n, node in enumerate(nodes, 1):
				node.n = n
				node.before = nodes[n - 2] if n > 1 else None

	def thread(self, tid):
		return "%s/%d" % (self.threads[tid][-1].name, tid)

	def node(self, node):
		return "%s#%d" % (self.thread(node.tid), node.n)

	def find(self, text):
		tid, n = text.split("/")[-1].split("#")
		return self.threads[int(tid)][int(n) - 1]

	def over(self, node):
		return (node.wait() > 0 or node.ended) and node.ended != "open" and not node.lost

	def signalled(self, node, tid=None):
		return any(start < node.end and ts >= node.begin for start, ts, whose in self.signals if tid in (None, whose))

	def normal(self, node):
		return self.over(node) and not self.signalled(node, node.tid)

	# At.

	def state(self, tid, begin, end):
		"""(kind, identity, time, node, waits, timed)"""
		kinds = {"busy": [0, None, 0, 0, 0], "starved": [0, None, 0, 0, 0]}

		def add(kind, time, node):
			total = kinds.setdefault(kind, [0, None, 0, 0, 0])
			if total[1] is None or time > total[2]:
				total[1:3] = node, time
			total[0] += time
			total[3] += 1
			total[4] += node.own_timer()

		for node in self.threads[tid]:
			active = min(node.begin, end) - max(node.start, begin)
			waited = min(node.end, end) - max(node.begin, begin)
			if active > 0:
				add("busy", node.run * active // (node.begin - node.start), node)
				add("starved", node.runnable * active // (node.begin - node.start), node)
			if waited > 0:
				add(node.identity, waited, node)
		# Kinds are in the order that decides ties: by first mention.
		best = max(kinds, key=lambda kind: kinds[kind][0])
		if kinds[best][0] == 0:
			return "unknown", None, 0, None, 0, 0
		time, node, _, waits, timed = kinds[best]
		if best in ("busy", "starved"):
			return best, None, time, node, 0, 0
		return "wait", best, time, node, waits, timed

	def starved(self, tid, begin, end):
		time = 0
		for node in self.threads[tid]:
			active = min(node.begin, end) - max(node.start, begin)
			time += node.runnable * active // (node.begin - node.start) if active > 0 else 0
		return time

	def task(self, node, keys):
		"""A turn of a task of the program's own, and who posted it."""
		if not node.task():
			return []
		answer, poster, first = {"task": node.task()} | keys, None, node
		while first and first.task():
			before = first.before
			edge = before.ender() if before else None
			if not before or before.end < first.start:
				break
			if edge and edge[1] == "async":
				poster = edge[2]
				break
			first = None if before.boundary else before
		if poster:
			answer["by"] = self.node(poster)
			if poster.task():
				answer["by_task"] = poster.task()
		return [answer]

	def longest_task(self, tid, begin, end):
		"""The one in whose turns the thread was for most of the time that it ran, and the longest of them."""
		tasks, ran = {}, self.state(tid, begin, end)[2]
		for node in self.threads[tid]:
			active = min(node.begin, end) - max(node.start, begin)
			if active > 0 and node.task():
				total = tasks.setdefault(node.task(), [0, None, 0])
				run = node.run * active // (node.begin - node.start)
				if total[1] is None or run > total[2]:
					total[1:] = node, run
				total[0] += run
		time, node, _ = max(tasks.values(), key=lambda total: total[0], default=(0, None, 0))
		return self.task(node, {"time": Seconds(time), "node": self.node(node)}) if 2 * time > ran else []

	def at(self, tid, begin, end):
		kind, identity, time, node, waits, timed = self.state(tid, begin, end)
		yields = waits >= 3 and (waits - timed) * 10 <= waits
		names = {"wait": "yielding" if yields else "blocked"}
		answer = {"state": names.get(kind, kind), "thread": self.thread(tid)}
		if node:
			answer |= {"node": self.node(node), "time": Seconds(time), "share": Real(time / (end - begin))}
		if kind == "wait":
			answer |= wait_keys(identity)
			answer |= {"waits": waits, "timed": timed} if yields else {"wait": Seconds(node.wait())}
		steps = [{"step_log": "step-log -p %d --from=%s --to=FUNCTION" % (tid, identity[2] or "FUNCTION")}] if kind == "wait" and yields else []
		more = {"starved": lambda: self.runners(tid, begin, end), "busy": lambda: self.longest_task(tid, begin, end), "unknown": lambda: [],
			"wait": lambda: self.task(node, {})}[kind]()
		return [answer] + steps + more

	def runners(self, without, begin, end):
		"""Those of the name that ran most, and of others that ran a fifth of the time or more."""
		names = {}
		for tid in self.threads:
			time = 0
			for node in self.threads[tid]:
				active = min(node.begin, end) - max(node.start, begin)
				time += node.run * active // (node.begin - node.start) if active > 0 else 0
			if tid != without and time > 0:
				first = names.setdefault(self.threads[tid][-1].name, [tid, 0, 0])
				first[1] += 1
				first[2] += time
		most = sorted(names.values(), key=lambda n: -n[2])[:3]
		return [{"ran": self.thread(tid), "threads": count, "time": Seconds(time)} for i, (tid, count, time) in enumerate(most)
			if i == 0 or time >= (end - begin) // 5]

	# Culprit.

	def polls(self, node):  # of a flag that was written, or the wait alone
		nodes = self.threads[node.tid]
		first = last = nodes.index(node)
		while last + 1 < len(nodes) and nodes[last].own_timer() and nodes[last + 1].identity == node.identity:
			last += 1
		if not nodes[last].ender() or nodes[last].ender()[1] != "flag":
			return node.begin, node.end
		while first > 0 and nodes[first - 1].own_timer() and nodes[first - 1].identity == node.identity:
			first -= 1
		return nodes[first].begin, nodes[last].end

	def culprit(self, node):
		begin, end = self.polls(node)
		path, answer, verdict, few = [], [], None, None
		tid, identity, at = node.tid, node.identity, node
		while True:
			path.append(tid)
			vain, after = set(), None  # polls, until a flag's write ended one
			for n in reversed(self.threads[tid]):
				if after and n.identity == after.identity and n.own_timer() and (after in vain or after.ender() and after.ender()[1] == "flag"):
					vain.add(n)
				after = n
			normal = [n for n in self.threads[tid] if n.identity == identity and n not in vain and self.over(n) and not self.signalled(n) and
				  not (n.begin < end and n.end > begin)]
			timed = [n for n in normal if n.own_timer()]
			asked = [n.ender() for n in normal if n.ender() and not n.own_timer()]
			if len(normal) < 3 and few is None:
				few = (tid, len(normal))
			elsewhere = [n for n in normal if not n.ender() and n.ended in ("device", "outside")]
			votes = Counter(edge[2].tid for edge in asked)
			latest = {whose: max(edge[0] for edge in asked if edge[2].tid == whose) for whose in votes}
			if not normal:
				verdict, few = "never", few if few != (tid, 0) else None
			elif len(timed) > len(asked):
				verdict = "timer"
			elif 2 * len(elsewhere) > len(normal):
				verdict = "outside"
			elif not asked:
				verdict = "nobody"
			if verdict:
				break
			first = max(votes, key=lambda whose: (votes[whose], latest[whose]))
			answer.append({"thread": self.thread(tid), "usually": self.thread(first), "votes": votes[first], "normal": len(normal)} |
				      wait_keys(identity))
			if first in path:
				verdict = "unasked"
				break
			kind, new, _, where, _, _ = self.state(first, begin, end)
			if kind != "wait":
				verdict, tid, at = kind, first, None
				break
			tid, identity, at = first, new, where
		last = {"culprit": self.thread(tid), "verdict": verdict}
		if at:
			last |= {"node": self.node(at)} | wait_keys(identity) | {"wait": Seconds(at.wait())}
		answer.append(last)
		if at:
			answer += self.task(at, {})
		if verdict == "starved":
			answer += self.runners(tid, begin, end)
		if verdict == "busy":
			answer += self.longest_task(tid, begin, end)
		if verdict == "unasked":
			starved = sum(self.starved(whose, begin, end) for whose in path)
			if starved and 2 * starved >= end - begin:
				answer += [{"starved": Seconds(starved)}] + self.runners(tid, begin, end)
		edge = at.ender() if at else None
		if edge and edge[2].tid != tid and edge[2].tid in path:
			circle = {"circle": self.thread(edge[2].tid)}
			if edge[2].origin():
				circle["after"] = self.node(edge[2].origin())
			answer.append(circle)
		if few:
			answer.append({"few": self.thread(few[0]), "normal": few[1]})
		return answer

	# Similar.

	def happened(self, node):
		words, before = set(node.words), node.before
		if len(words) <= 2:
			for _ in range(8):
				if not before:
					break
				words |= before.words
				before = before.before
		return words

	def similar(self, node):
		found, mine = [], self.happened(node)
		for other in self.threads[node.tid]:
			theirs = self.happened(other)
			if other is node or other.identity != node.identity or not self.normal(other) or 2 * other.wait() >= node.wait():
				continue
			if mine <= theirs or theirs <= mine:
				likeness = len(mine & theirs) / len(mine | theirs) if mine | theirs else 1
				found.append((-likeness, abs(other.start - node.start), other.id, other))
		answer = [{"node": self.node(other), "likeness": Real(-likeness), "wait": Seconds(other.wait())}
			  for likeness, _, _, other in sorted(found, key=lambda f: f[:3])]
		return answer or [{}]

	# Back.

	def back(self, node):
		first, seen, answer = node, [], []
		ends = {"none": "that segment came out of no wait that is known", "itself": "that is the thread of the first node itself",
			"earlier": "what that segment came out of was over before the first node began", "twice": "a segment comes twice: a circle"}
		while True:
			seen.append(node)
			edges = node.edges or node.weak
			edge = max(edges, key=lambda e: (e[0], KINDS.index(e[1]), e[2].id), default=None)
			if edge and edge[1] == "timer" and edge[2].tid == node.tid:
				edge = None
			step = {"node": self.node(node), "ended": node.ended or "not"} | wait_keys(node.identity) | {"wait": Seconds(node.wait())}
			if edge:
				step |= {"by": self.node(edge[2]), "kind": edge[1], "weak": not node.edges}
			answer.append(step)
			if not edge:
				return answer
			before, end = edge[2].origin(), None
			if edge[2].tid == first.tid:
				end = "itself"
			elif not before:
				end = "none"
			elif before.end <= first.start:
				end = "earlier"
			elif before in seen:
				end = "twice"
			if end:
				return answer + [{"end": ends[end]}]
			node = before


class Real(float):
	pass


def Seconds(ns):
	return Real(ns / 1e9)


def wait_keys(identity):
	syscall, object_, function = identity
	address = object_.startswith("0x")
	shown = "" if not object_ or (function and address) else " " + object_ if address else " fd " + object_
	words = syscall + shown if syscall else shown.strip()
	words += (", " if words and function else "") + function
	keys = {"in": words or "an unknown place"}
	return keys | {key: value for key, value in zip(("syscall", "object", "function"), identity) if value}


def spell(value):
	if isinstance(value, bool):
		return "true" if value else "false"
	if isinstance(value, Real):
		text = ("%.15g" % value).replace("e-0", "e-")
		return text if "." in text or "e" in text else text + ".0"
	if isinstance(value, dict):
		return "{%s}" % ",".join('"%s":%s' % (key, spell(v)) for key, v in value.items())
	if isinstance(value, list):
		return "[%s]" % ",".join(map(spell, value))
	return str(value) if isinstance(value, int) else '"%s"' % value


def answer(graph, command):
	name, *words = command.split()
	if name == "at" and len(words) == 3:
		lines = graph.at(int(words[0].split("/")[-1]), nanoseconds(words[1]), nanoseconds(words[2]))
	else:
		node = graph.find(words[0])
		lines = graph.at(node.tid, node.start, node.end) if name == "at" else getattr(graph, name)(node)
	return spell({"command": name, "answer": lines})


# Random graphs.

def random_graph(rng, path):
	"""Threads that wait for each other for a few things; sometimes events were lost, a timer or nobody ended a wait."""
	threads = [(10 + i, rng.choice(["main", "io", "db", "t%d" % i])) for i in range(rng.randint(1, 6))]
	lines, nodes = ["graph id=w kind=event"], []
	usual = {tid: rng.choice(threads)[0] for tid, _ in threads}
	objects = rng.choice([[[], ["object=0x5000"], ["object=7"]], [["object=7"]]])  # many identities, or few
	functions = rng.choice([[[], [], ["function=f"]], [["function=f"]]])
	for tid, name in threads:
		ts = rng.randint(0, 50)
		for _ in range(rng.randint(1, 20)):
			active, wait = rng.choice([0, rng.randint(1, 40), rng.randint(1, 40), rng.randint(50, 300)]), rng.choice([0, rng.randint(1, 30), rng.randint(1, 300)])
			run = rng.randint(0, active)
			nodes.append((tid, name, ts, ts + active, ts + active + wait, run, rng.randint(0, active - run)))
			ts += active + wait + rng.choice([0, 0, 5])
	rng.shuffle(nodes)
	ids = rng.sample(range(1, 10 * len(nodes) + 1), len(nodes))
	edges = []
	for id_, (tid, name, start, begin, end, run, runnable) in zip(ids, nodes):
		fields = ["graph=w", "id=%d" % id_, "name=" + name, "what=segment", "tid=%d" % tid]
		fields += ["%s=%s" % (key, seconds(ns)) for key, ns in (("start", start), ("end", end), ("wait_from", begin), ("run", run), ("runnable", runnable))]
		ended, sources = None, []
		if end > begin or rng.random() < 0.3:
			fields += ["wait=" + seconds(end - begin), "syscall=" + rng.choice(["futex", "read", "read"])]
			fields += rng.choice(objects) + rng.choice(functions)
			# Of those who can have ended it, mostly the usual one.
			could = [(i, n[0]) for i, n in zip(ids, nodes) if n[2] <= end]
			chance = rng.random()
			if chance < 0.6:
				sources = [c for c in could if c[1] == usual[tid]] or could
				sources = [rng.choice(sources)[0]] if rng.random() < 0.9 else [rng.choice(could)[0], rng.choice(could)[0]]
				ended = "thread"
			elif chance < 0.75:
				edges.append((id_, id_, "timer", end, ""))
				ended = "timer"
			else:
				ended = rng.choice(["device", "outside", "unknown", "open", "timer"])
			for source in sources:
				edges.append((source, id_, rng.choice(["wake", "wake", "flag", "async"]), end, " weak=yes" if rng.random() < 0.15 else ""))
			fields.append("ended=" + ended)
		elif rng.random() < 0.2:
			fields.append("boundary=yes")
		if rng.random() < 0.05:
			fields.append("lost=yes")
		words = rng.sample(["call=futex", "call=read", "call=write", "woken=main", "woken=timer", "wakes=io"], rng.randint(0, 5))
		words += rng.sample(["task=load", "task=send"], rng.choice([0, 0, 1]))
		if words:
			fields.append('events="%s"' % ";".join(words))
		lines.append("node " + " ".join(fields))
	rng.shuffle(edges)
	lines += ["edge graph=w from=%d to=%d kind=%s ts=%s%s" % (a, b, kind, seconds(ts), more) for a, b, kind, ts, more in edges]
	for i in range(rng.randint(0, 3)):
		start = rng.randint(0, 600)
		lines.append("signal id=%d ts=%s start=%s chart=x value=1 tid=%d" % (i + 1, seconds(start + rng.randint(0, 200)), seconds(start), rng.choice(threads)[0]))
	with open(path, "w") as out:
		out.write("\n".join(lines) + "\n")


def random_commands(rng, graph):
	commands = []
	for nodes in graph.threads.values():
		begin = rng.randint(0, 300)
		commands.append("at %d %s %s" % (nodes[0].tid, seconds(begin), seconds(begin + rng.randint(1, 300))))
		for node in nodes:
			if node.end > node.start:
				commands.append("at " + graph.node(node))
			if node.wait() > 0 or node.ended:
				commands += ["%s %s" % (name, graph.node(node)) for name in ("culprit", "back", "similar")]
	return commands


def main(arguments):
	if arguments[0] != "--random":
		graph = Graph(arguments[0])
		for command in open(arguments[1]):
			print(answer(graph, command))
		return
	for seed in range(int(arguments[2]), int(arguments[3]) + 1):
		rng, base = random.Random(seed), "%s/%d" % (arguments[1], seed)
		random_graph(rng, base + ".txt")
		graph = Graph(base + ".txt")
		commands = random_commands(rng, graph)
		with open(base + ".commands", "w") as out:
			out.write("".join(command + "\n" for command in commands))
		with open(base + ".want", "w") as out:
			out.write("".join(answer(graph, command) + "\n" for command in commands))


main(sys.argv[1:])
