"""Which topics of skills for caro match a prompt (seed 004, "Topic Matching")."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.preview.tokens import estimate_tokens
from skillstudio.preview.topics.declared import DeclaredTopics, Knowledge, read_topics
from skillstudio.preview.topics.match import (
    PromptPhrases,
    match_prompt,
    match_topics,
    words_of,
)
from skillstudio.text.nearest import edit_distance

CLOUD = DeclaredTopics(
    "cloud.aws",
    "cloud",
    topics=("aws", "s3", "kubernetes", "cloud watch", "C++"),
    synonyms={"kubernetes": ("k8s", "container orchestration"), "other": ("pods",)},
)

TOPICS = [
    ("list my AWS buckets", [("topic-exact", "aws", ("aws",), 0)]),
    ("aws-s3", [("topic-exact", "aws", ("aws",), 0), ("topic-exact", "s3", ("s3",), 0)]),
    ("Cloud   Watch!", [("topic-exact", "cloud watch", ("cloud", "watch"), 0)]),
    ("watch the clouds", []),
    ("cloud wach", [("topic-fuzzy", "cloud watch", ("cloud", "wach"), 1)]),
    ("kubernetes", [("topic-exact", "kubernetes", ("kubernetes",), 0)]),
    ("kubernets", [("topic-fuzzy", "kubernetes", ("kubernets",), 1)]),
    ("kuberntes", [("topic-fuzzy", "kubernetes", ("kuberntes",), 1)]),
    ("kubernet", [("topic-fuzzy", "kubernetes", ("kubernet",), 2)]),
    ("kubrnts", []),
    ("deploy on container orchestration", [
        ("topic-synonym", "kubernetes", ("container", "orchestration"), 0)]),
    ("kubernetes on k8s", [("topic-exact", "kubernetes", ("kubernetes",), 0)]),
    ("list all pods", []),
    ("", []),
    ("¿?!", []),
]  # fmt: skip


@pytest.mark.parametrize(("prompt", "matches"), TOPICS)
def test_topics(prompt: str, matches: list[tuple[str, str, tuple[str, ...], int]]) -> None:
    long = CLOUD._replace(topics=("kubernetes", "cloud watch"))
    short = CLOUD._replace(topics=("aws", "s3"))
    words = PromptPhrases(words_of(prompt))
    found = [*match_topics(short, words), *match_topics(long, words)]
    wanted = [each for each in found if each.rule != "topic-fuzzy" or len(each.topic) > 3]
    assert [tuple(each)[:4] for each in wanted] == matches


def test_a_short_topic_is_near_to_nearly_everything_and_that_is_said() -> None:
    (found,) = match_topics(CLOUD._replace(topics=("s3",)), PromptPhrases(words_of("is it so")))
    assert found.rule == "topic-fuzzy"
    assert found.note == "a topic of 2 letters is similar to most short words"


def test_k8s_is_a_synonym_where_no_letters_are_near() -> None:
    (found,) = match_topics(CLOUD._replace(topics=("kubernetes",)), PromptPhrases(["k8s"]))
    assert (found.rule, found.note) == ("topic-synonym", "k8s is a synonym of kubernetes")


def test_skills_come_by_priority_and_then_by_path() -> None:
    skills = [
        DeclaredTopics("low", "low", ("database",), priority=10),
        DeclaredTopics("plain", "plain"),
        DeclaredTopics("b", "b", ("databases",), priority=90),
        DeclaredTopics("a", "a", ("databases",), priority=90),
    ]
    found = match_prompt(skills, "a database")
    assert [each.name for each in found.matching] == ["a", "b", "low"]
    assert found.others == ("plain",)


BUDGETS = [
    (1_000, [("a", 300, 300), ("b", 900, 700), ("c", 5, 0)]),
    (1_205, [("a", 300, 300), ("b", 900, 900), ("c", 5, 5)]),
    (0, [("a", 300, 0), ("b", 900, 0), ("c", 5, 0)]),
]


@pytest.mark.parametrize(("most", "injected"), BUDGETS)
def test_the_token_budget_of_a_skill(most: int, injected: list[tuple[str, int, int]]) -> None:
    files = (Knowledge("a", 300), Knowledge("b", 900), Knowledge("c", 5))
    known = DeclaredTopics("x", "x", ("thing",), most_tokens=most, knowledge=files)
    found = match_prompt([known], "thing").matching[0].knowledge
    assert [tuple(each) for each in found] == injected


def test_the_order_of_the_skills_says_nothing() -> None:
    skills = [CLOUD, *(CLOUD._replace(path=each, priority=n % 2) for n, each in enumerate("abcd"))]
    wanted = match_prompt(skills, "write a pdf about k8s")
    for seed in range(5):
        Random(seed).shuffle(skills)
        assert match_prompt(skills, "write a pdf about k8s") == wanted


def test_of_words_that_are_as_near_the_first_are_told() -> None:
    phrases = PromptPhrases(["kubernetis", "kubernetas", "kuberneteess"])
    (found,) = match_topics(DeclaredTopics("x", "x", topics=("kubernetes",)), phrases)
    assert (found.words, found.distance) == (("kubernetis",), 1)


@given(st.text("ab ", max_size=7), st.lists(st.text("ab", min_size=1, max_size=5), max_size=6))
def test_no_near_words_are_passed_over(topic: str, words: list[str]) -> None:
    size = len(words_of(topic))
    runs = [" ".join(words[at : at + size]) for at in range(len(words) - size + 1) if size]
    distances = [edit_distance(" ".join(words_of(topic)), run, 2, swaps=False) for run in runs]
    found = list(match_topics(DeclaredTopics("x", "x", topics=(topic,)), PromptPhrases(words)))
    assert [each.distance for each in found] == sorted(each for each in distances if each < 3)[:1]


def test_nothing_matches_among_nothing() -> None:
    assert match_prompt([], "x").matching == ()
    assert match_prompt([DeclaredTopics("", "p")], "").others == ("p",)


@given(st.text(max_size=40), st.lists(st.text(max_size=30), max_size=4))
def test_any_prompt_over_any_topics(prompt: str, texts: list[str]) -> None:
    skills = [DeclaredTopics(str(n), str(n), (each,)) for n, each in enumerate(texts)]
    found = match_prompt(skills, prompt)
    assert {each.path for each in found.matching} | set(found.others) == {e.path for e in skills}


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_distance_counts_letters(one: str, other: str) -> None:
    distance = edit_distance(one, other, 10, swaps=False)
    assert distance == edit_distance(other, one, 10, swaps=False)
    assert (distance == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance <= max(len(one), len(other))
    # Swapped letters are one change with `swaps`, else two.
    assert edit_distance(one, other) <= distance <= 2 * edit_distance(one, other)
    assert edit_distance(one, other, 1, swaps=False) == min(distance, 2)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("four", 1), ("fours", 2), ("日本語", 3), ("éé", 1), ("x" * 4000, 1000)],
)
def test_tokens_are_estimated(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def skill(
    folder: Path,
    synonyms: str | bytes | None = None,
    provides: str = "knowledge",
    topics: str = '["kubernetes"]',
) -> DeclaredTopics:
    folder.mkdir(exist_ok=True)
    (folder / "skill.toml").write_text(
        '[skill]\nid = "tool.k"\nname = "K"\nversion = "1.0.0"\ndescription = "d"\n'
        f'api_version = "1.0"\n[provides]\n{provides} = true\n'
        f"[knowledge]\ntopics = {topics}\npriority = 7\nmax_context_tokens = 12\n"
    )
    (folder / "knowledge" / "deep").mkdir(parents=True, exist_ok=True)
    (folder / "knowledge" / "b.md").write_text("b" * 40)
    (folder / "knowledge" / "deep" / "a.md").write_text("a" * 8)
    if synonyms is not None:
        data = synonyms if isinstance(synonyms, bytes) else synonyms.encode()
        (folder / "knowledge" / "synonyms.yaml").write_bytes(data)
    return read_topics(locate(DiskTree(folder)).skill, "k")


def test_a_skill_is_known_by_its_files(tmp_path: Path) -> None:
    known = skill(tmp_path, "kubernetes: [k8s, pods]\n")
    assert (known.name, known.topics, known.priority, known.most_tokens) == (
        "tool.k", ("kubernetes",), 7, 12)  # fmt: skip
    assert known.knowledge == (Knowledge("knowledge/b.md", 10), Knowledge("knowledge/deep/a.md", 2))
    assert known.synonyms == {"kubernetes": ("k8s", "pods")}
    assert known.notes == ()


GIVEN_OUT = [
    ("knowledge", '["kubernetes"]', 2),
    ("knowledge", "[]", 0),
    ("recipes", '["kubernetes"]', 2),
    ("recipes", "[]", 0),
]


@pytest.mark.parametrize(("provides", "topics", "files"), GIVEN_OUT)
def test_whose_files_of_knowledge_count(
    tmp_path: Path, provides: str, topics: str, files: int
) -> None:
    assert len(skill(tmp_path, None, provides, topics).knowledge) == files


SYNONYMS = [
    ("synonyms:\n  kubernetes: k8s\n", {"kubernetes": ("k8s",)}, ""),
    ("kubernetes:\n- k8s\n- [x]\n", {}, "is not a list of words"),
    ("- a\n", {}, "is not a mapping"),
    ("", {}, ""),
    ("a: [\n", {}, "knowledge/synonyms.yaml:"),
    (b"a: \xff\n", {}, "is not a mapping"),
]


@pytest.mark.parametrize(("text", "synonyms", "note"), SYNONYMS)
def test_synonyms_that_are_wrong_are_noted(
    tmp_path: Path, text: str | bytes, synonyms: dict[str, tuple[str, ...]], note: str
) -> None:
    known = skill(tmp_path, text)
    for key, words in synonyms.items():
        assert known.synonyms[key] == words
    assert note in "; ".join(known.notes)


def test_a_link_out_of_the_skill_is_no_synonyms(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("kubernetes: [secret]\n")
    folder = tmp_path / "skill"
    skill(folder)
    (folder / "knowledge" / "synonyms.yaml").symlink_to(tmp_path / "secret.yaml")
    known = read_topics(locate(DiskTree(folder)).skill, "k")
    assert known.synonyms == {}
    assert known.notes == ("knowledge/synonyms.yaml is not a file of the skill and was "
                           "not read",)  # fmt: skip
