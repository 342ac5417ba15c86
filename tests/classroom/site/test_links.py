"""Links of files, as links of pages."""

from __future__ import annotations

from autograder.classroom.site.links import relinked

PAGES = {"README.md": "index", "solutions/README.md": "handbook/instructors", "course/03/x.ipynb": "units/03"}
HOME = "https://example.org/repository"


def test_a_link_to_a_file_that_is_a_page_leads_to_the_page() -> None:
    text = "See [the table](../solutions/README.md#costs) and [03](03/x.ipynb)."
    assert relinked(text, "course/README.md", "learners", PAGES, HOME) == (
        "See [the table](handbook/instructors.md#costs) and [03](units/03.md)."
    )
    assert (
        relinked("[up](../README.md)", "solutions/README.md", "handbook/instructors", PAGES)
        == "[up](../index.md)"
    )


def test_other_files_are_found_in_the_repository_or_only_named() -> None:
    assert (
        relinked("[licence](LICENSE)", "README.md", "index", PAGES, HOME)
        == f"[licence]({HOME}/blob/main/LICENSE)"
    )
    assert relinked("the [licence](LICENSE).", "README.md", "index", PAGES) == "the licence."


def test_addresses_anchors_pictures_and_code_stay() -> None:
    for text in (
        "[a](https://example.org/a.md)", "[b](#below)", "`[c](d.md)`", "```\n[e](f.md)\n```\n", "    [g](h.md)\n",
    ):  # fmt: skip
        assert relinked(text, "README.md", "index", PAGES, HOME) == text
    assert relinked("![p](course/p.png)", "README.md", "index", PAGES, HOME) == "![p](course/p.png)"
    badge = "[![Binder](https://example.org/b.svg)](LICENSE)"
    assert relinked(badge, "README.md", "index", PAGES, HOME).endswith(f"]({HOME}/blob/main/LICENSE)")


def test_a_whole_address_of_a_file_is_as_good_as_its_name() -> None:
    home = "https://github.com/a/b"
    text = f"[s]({home}/blob/main/solutions/README.md#costs) ![p](https://raw.githubusercontent.com/a/b/main/c/p.png)"
    assert (
        relinked(text, "README.md", "index", PAGES, home)
        == "[s](handbook/instructors.md#costs) ![p](c/p.png)"
    )
    assert relinked(f"[l]({home}/blob/main/LICENSE)", "README.md", "index", PAGES, home) == (
        f"[l]({home}/blob/main/LICENSE)"
    )


def test_links_after_code_are_links_again() -> None:
    for code in ("    indented\n", "```\nfenced\n```\n", "a `span` and one ` alone\n"):
        text = f"{code}\n[a](solutions/README.md)\n\nand `more`\n"
        assert "[a](handbook/instructors.md)" in relinked(text, "README.md", "index", PAGES), code
