"""What documents share with the page is made from the same tables, and is not old."""

from scripts.made_docs import documents
from specviz.picture.glossary import GROUPS


def test_the_tables_of_the_documents_are_those_of_the_page():
    assert [path.name for path, text in documents().items() if path.read_text("utf-8") != text] == [], (
        "python -m scripts.made_docs"
    )


def test_the_glossary_as_a_document_has_every_term():
    page = next(text for path, text in documents().items() if path.name == "glossary.md")
    assert all(f"| {term.name} | {term.says} |" in page for terms in GROUPS.values() for term in terms.values())
