"""Write a report on the history of a git repository since a date to reports/, as Markdown."""

import argparse
import datetime
import subprocess
import sys
from collections import Counter
from pathlib import Path

MOST = 10


def git(repository, *arguments):
    """Return the output of git."""
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def history(repository, since):
    """Count commits by author and month, and changes by file."""
    authors, months, files = Counter(), Counter(), Counter()
    log = git(
        repository,
        "log",
        f"--since={since} 00:00:00",
        "-z",
        "--name-only",
        "--date=format:%Y-%m",
        "--format=%x01%an%x02%ad",
    )
    for commit in log.split("\x01")[1:]:
        head, *names = commit.split("\0")
        author, _, month = head.partition("\x02")
        authors[author] += 1
        months[month.strip()] += 1
        files.update(name.strip("\n") for name in names if name.strip("\n"))
    return authors, months, files


def cell(text):
    return str(text).replace("|", "\\|")


def table(first, second, rows):
    lines = [f"| {first} | {second} |", "|---|---:|"]
    return lines + [f"| {cell(name)} | {count} |" for name, count in rows]


def report(since, authors, months, files):
    commits = sum(authors.values())
    lines = [f"# Commits since {since}", "", f"{commits} commit{'' if commits == 1 else 's'}.", ""]
    lines += ["## By author", "", *table("author", "commits", authors.most_common()), ""]
    lines += ["## By month", "", *table("month", "commits", sorted(months.items())), ""]
    lines += ["## Files that changed most often", ""]
    lines += table("file", "commits", files.most_common(MOST))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", default="2025-01-01", help="the first day, YYYY-MM-DD")
    parser.add_argument("--repository", default=".", help="a folder of the repository")
    options = parser.parse_args()
    try:
        datetime.date.fromisoformat(options.since)
    except ValueError:
        parser.error(f"not a date such as 2025-12-31: {options.since}")
    try:
        root = Path(git(options.repository, "rev-parse", "--show-toplevel").strip())
        found = history(root, options.since)
    except subprocess.CalledProcessError as error:
        sys.exit(f"analyze.py: {error.stderr.strip()}")
    target = root / "reports" / f"git-analysis-{options.since}.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(report(options.since, *found), encoding="utf-8")
    print(target.relative_to(root).as_posix())


if __name__ == "__main__":
    main()
