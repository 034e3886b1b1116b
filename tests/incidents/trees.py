#!/usr/bin/python3
"""run-rules against the trees of Weka (J48) and scikit-learn, on the public tables that come with them, and on random ones.

trees.py BUILD: ends with 1 if a tree is another where it has to be the same:

* J48 on tables without numbers: root, leaves, and runs that are right, unknown values included (--criterion=ratio --multiway --paper).
* J48 on each number of a table alone: the runs on either side of the root's cut. J48 subtracts from the gain of numbers what C4.5's
  Release 8 does, which decides between features, not between the cuts of one; where it makes it forgo a split, that is counted.
* scikit-learn on tables of numbers: the root's gain, by information and by gini; its feature and cut too, unless another one gains as much;
  leaves, and runs that are right, of whole trees, of which it grows several where gains are equal.
"""
import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
WEKA, TABLES = "/usr/share/java/weka.jar", "/usr/share/doc/weka/examples"
RANDOM_TABLES = 300
NUMBER = "number"
failed = 0


def say(what, good, all, more=""):
    global failed
    failed |= good != all
    print("%-58s %4d of %4d%s" % (what, good, all, more), flush=True)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def rule(path, *options):
    """The first rule of a table, whose last column is called class; nothing if there is none."""
    for line in run(BUILD + "/run-rules", "-t", "--csv", "--class=class", "-n", "1", *options, path).split("\n"):
        if line.startswith("rule "):
            return dict(word.split("=", 1) for word in shlex.split(line)[1:])
    return None


def word(text):
    return "?" if text == "?" else "v" + re.sub(r"[^A-Za-z0-9_.+-]", "_", text)


def read_arff(path):
    """Kinds of the columns, NUMBER or the list of values; and rows. Columns are called a0, a1, ... class."""
    kinds, rows, data = [], [], False
    for line in open(path, errors="replace"):
        line = line.strip()
        attribute = re.match(r"@attribute\s+(?:'[^']*'|\S+)\s+(.*)$", line, re.I)
        if attribute:
            values = re.match(r"{(.*?)}", attribute[1])
            kinds.append([word(v.strip().strip("'")) for v in values[1].split(",")] if values else NUMBER)
        elif re.match("@data", line, re.I):
            data = True
        elif data and line and line[0] != "%":
            cells = next(csv.reader([line], quotechar="'", skipinitialspace=True))
            rows.append([c.strip() if k == NUMBER else word(c.strip()) for c, k in zip(cells, kinds)])
    return kinds, rows


def write(stem, kinds, rows):
    names = ["a%d" % i for i in range(len(kinds) - 1)] + ["class"]
    with open(stem + ".csv", "w") as file:
        file.writelines(",".join(line) + "\n" for line in [names] + rows)
    with open(stem + ".arff", "w") as file:
        file.write("@relation t\n")
        file.writelines("@attribute %s %s\n" % (n, "numeric" if k == NUMBER else "{%s}" % ",".join(k)) for n, k in zip(names, kinds))
        file.write("@data\n")
        file.writelines(",".join(line) + "\n" for line in rows)


def j48(stem):
    """The root's line, leaves that runs reach, and runs that are right, of a tree that is not pruned."""
    text = run("java", "-cp", WEKA, "weka.classifiers.trees.J48", "-t", stem + ".arff", "-no-cv", "-U", "-M", "2")
    tree = [line for line in text.split("------------------\n")[1].split("Number of Leaves")[0].split("\n") if line.strip()]
    ends = [re.search(r"\(([0-9.]+)(?:/([0-9.]+))?\)$", line.strip()) for line in tree]
    weights = [(float(end[1]), float(end[2] or 0)) for end in ends if end and float(end[1]) > 0]
    return tree[0], len(weights), sum(all - wrong for all, wrong in weights)


def one_number(stem, kinds, rows, column):
    """Whether the root cuts this column at the same place; nothing: Weka does not split."""
    known = [float(row[column]) for row in rows if row[column] != "?"]
    write(stem, [NUMBER, kinds[-1]], [[row[column], row[-1]] for row in rows])
    least = min(25, max(2, 0.1 * len(known) / len(kinds[-1])))
    root, own = re.match(r"a0 <= ([^ :]+)", j48(stem)[0]), rule(stem + ".csv", "--min-leaf=%g" % least, "--paper")
    if not root:
        return None if own else True
    value = float(root[1])
    return own is not None and sum(k <= value + 1e-6 * abs(value) for k in known) == sum(k < float(own["cut"]) for k in known)


def weka(folder):
    whole, wholes, cuts, none, wrong = 0, 0, [], 0, []
    for name in sorted(os.listdir(TABLES)):
        kinds, rows = read_arff(os.path.join(TABLES, name))
        stem = os.path.join(folder, "table")
        if kinds[-1] == NUMBER or "Reuters" in name:
            continue  # the class is a number, or features are texts
        if NUMBER not in kinds[:-1]:
            write(stem, kinds, rows)
            (root, leaves, right), own = j48(stem), rule(stem + ".csv", "--criterion=ratio", "--multiway", "--paper")
            wholes += 1
            if own is None:
                same = leaves == 1
            else:  # J48 shows two decimals
                same = root.startswith(own["feature"] + " = ") and int(own["leaves"]) == leaves and abs(float(own["right"]) - right) <= 0.01 * leaves
            whole += bool(same)
            wrong += [] if same else [name]
        for column in [i for i, kind in enumerate(kinds[:-1]) if kind == NUMBER]:
            same = one_number(stem, kinds, rows, column)
            none += same is None
            cuts += [] if same is None else [same]
            wrong += [] if same is not False else ["%s column %d" % (name, column)]
    say("Weka J48: tables of words, whole trees", whole, wholes)
    say("Weka J48: each number alone, root and cut", sum(cuts), len(cuts), ", %d without a split in Weka" % none)
    if wrong:
        print("others in Weka:", ", ".join(wrong))


def random_table(seed):
    import numpy

    rng = numpy.random.default_rng(seed)
    rows, features, classes = rng.integers(12, 120), rng.integers(2, 12), rng.integers(2, 4)
    y = rng.integers(0, classes, rows)
    y[:classes] = range(classes)
    x = rng.normal(size=(rows, features)) + numpy.outer(y, rng.choice([0, 0, 0.5, 2], features))
    return (x.round(1) if seed % 2 else x), y


def gains(x, y, criterion, least):
    """The greatest gain of each feature, to find those that gain as much as the best."""
    from sklearn.tree import DecisionTreeClassifier

    found = []
    for column in range(x.shape[1]):
        tree = DecisionTreeClassifier(criterion=criterion, max_depth=1, min_samples_leaf=least).fit(x[:, [column]], y).tree_
        found.append(gain_of(tree))
    return found


def gain_of(tree):
    if tree.node_count == 1:
        return 0.0
    n = tree.n_node_samples
    return tree.impurity[0] - (n[1] * tree.impurity[1] + n[tree.children_right[0]] * tree.impurity[tree.children_right[0]]) / n[0]


def write_numbers(path, x, y):
    with open(path, "w") as file:
        file.write(",".join("a%d" % i for i in range(x.shape[1])) + ",class\n")
        file.writelines(",".join(map(repr, map(float, row))) + ",c%d\n" % c for row, c in zip(x, y))


def sides(x, feature, cut):
    return tuple(x[:, feature] < cut)


def compare(path, x, y, criterion):
    """(gain is the same, feature and cut are, or another gains as much)."""
    from sklearn.tree import DecisionTreeClassifier

    least = min(2, min(list(y).count(c) for c in set(y)))
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=1, min_samples_leaf=int(least), random_state=0).fit(x, y).tree_
    write_numbers(path, x, y)
    own = rule(path, "--paper", "--criterion=" + {"entropy": "gain", "gini": "gini"}[criterion])
    if own is None:  # a tree whose leaves agree is none
        return True, True, False
    feature, cut = int(own["feature"][1:]), float(own["cut"])
    same_gain = abs(float(own["gain"]) - gain_of(tree)) < 1e-6
    if sides(x, feature, cut) == sides(x, tree.feature[0], tree.threshold[0]):
        return same_gain, True, False
    mine = gains(x, y, criterion, int(least))[feature]
    return same_gain, abs(mine - gain_of(tree)) < 1e-6, True


def collapsed(tree, node=0):
    """(runs that are right, leaves), where a subtree that gets no more right than a leaf is one."""
    counts = tree.value[node][0]
    most = tree.n_node_samples[node] * counts.max() / counts.sum()
    if tree.children_left[node] < 0:
        return round(most), 1
    one, other = collapsed(tree, tree.children_left[node]), collapsed(tree, tree.children_right[node])
    return (round(most), 1) if one[0] + other[0] <= most + 1e-6 else (one[0] + other[0], one[1] + other[1])


def whole_tree(path, x, y):
    from sklearn.tree import DecisionTreeClassifier

    write_numbers(path, x, y)
    own = rule(path, "--paper")
    trees = [DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed).fit(x, y).tree_ for seed in range(10)]
    return (int(own["right"]), int(own["leaves"])) in {collapsed(tree) for tree in trees}


def sklearn(folder):
    from sklearn import datasets

    public = [load(return_X_y=True) for load in (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_digits)]
    say("scikit-learn: public tables, whole trees", sum(whole_tree(os.path.join(folder, "table.csv"), x, y) for x, y in public), len(public))
    for what, tables in (("public tables", public), ("random tables", [random_table(seed) for seed in range(RANDOM_TABLES)])):
        for criterion in "entropy", "gini":
            found = [compare(os.path.join(folder, "table.csv"), x, y, criterion) for x, y in tables]
            say("scikit-learn: %s by %s, gain" % (what, criterion), sum(f[0] for f in found), len(found))
            say("scikit-learn: %s by %s, root and cut" % (what, criterion), sum(f[1] for f in found), len(found),
                ", %d another of equal gain" % sum(f[2] for f in found))


deps = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "deps.sh")
if subprocess.run([deps, "weka", "python3-sklearn"], check=False).returncode:
    print("trees: skipped: needs weka and python3-sklearn")
    sys.exit(0)
with tempfile.TemporaryDirectory() as place:
    weka(place)
    sklearn(place)
sys.exit(failed)
