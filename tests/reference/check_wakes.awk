# Reads ranked wake graphs; complains where a path does not cover its graph's time, or blame does not add up to it.
function value(key, field) {
	for (field = 2; field <= NF; field++)
		if (index($field, key "=") == 1)
			return substr($field, length(key) + 2) + 0
}
function check() {
	if (graph && (at != to || blame - (to - from) > 0.000001 || (to - from) - blame > 0.000001)) {
		print "graph " graph ": path from " from " ends at " at ", not at " to "; blame is " blame
		wrong = 1
	}
}
$1 == "graph" { check(); graph = value("id"); from = at = value("from"); to = value("to"); blame = 0; graphs++ }
$1 == "path" {
	if (value("from") != at || value("to") <= at) {
		print "graph " graph ": a piece from " value("from") " to " value("to") " follows " at
		wrong = 1
	}
	at = value("to")
}
$1 == "blame" && $2 != "graph=total" { blame += value("score") }
END { check(); print graphs + 0; exit wrong }
