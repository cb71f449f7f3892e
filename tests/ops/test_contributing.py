"""Instructions for developers, editor settings and commit hooks match the project."""

import json
import re

import pytest
from django.core.management import get_commands

from tests.factories.site_process import ROOT

pytestmark = pytest.mark.source

PAGE = (ROOT / "docs" / "contributing.md").read_text()
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text()
CONTAINER = (ROOT / ".devcontainer" / "devcontainer.json").read_text()
#: Created by a first start, and the place of Python's environment.
MADE = ("data/", ".venv")


def test_files_and_functions_that_the_page_names_are_there():
    named = re.findall(r"`([\w.]+/[\w./-]*)(?::(\w+))?`", PAGE) + re.findall(r"\]\(([\w./-]+)()\)", PAGE)
    assert len(named) > 15
    for path, function in named:
        if path.startswith(MADE):
            continue
        found = next((base / path for base in (ROOT, ROOT / "docs") if (base / path).exists()), None)
        assert found, path
        assert not function or f"def {function}(" in found.read_text(), f"{path}:{function}"


def test_commands_that_the_page_names_exist():
    commands = set(re.findall(r"manage\.py (\w+)", PAGE))
    assert {"match", "seed_demo"} <= commands
    assert commands <= get_commands().keys()


def test_every_hook_of_a_commit_is_a_locked_tool_that_the_whole_check_runs_too():
    assert re.findall(r"repo: (\S+)", HOOKS) == ["local"]
    assert set(re.findall(r"language: (\S+)", HOOKS)) == {"system"}
    entries = re.findall(r"entry: (.+)", HOOKS)
    assert len(entries) == HOOKS.count("- id:")
    checks = (ROOT / ".ci" / "run").read_text()
    for entry in entries:
        assert entry.replace(" --force-exclude", "") in checks


def test_the_development_container_is_the_image_of_the_site():
    container = json.loads(CONTAINER)
    assert not container.keys() & {"image", "features"}
    assert (ROOT / ".devcontainer" / container["build"]["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert (ROOT / ".devcontainer" / container["build"]["context"]).resolve() == ROOT
    assert f"useradd --create-home {container['remoteUser']}" in (ROOT / "Dockerfile").read_text()
    assert (ROOT / container["postCreateCommand"].split()[0]).is_file()


@pytest.mark.parametrize("text", [HOOKS, CONTAINER, (ROOT / ".editorconfig").read_text()])
def test_no_configuration_names_a_host(text):
    assert not re.search(r"\w+://|\b[\w-]+\.(com|org|io|net|dev)\b", text)
