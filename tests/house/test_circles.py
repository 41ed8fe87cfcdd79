"""No module imports itself through others, not even within functions or for types alone."""

from __future__ import annotations

from graphlib import TopologicalSorter

from grimp import build_graph


def test_no_module_imports_itself_through_others() -> None:
    graph = build_graph("skillstudio", cache_dir=None)
    imports = {
        # A module that starts itself as a program imports itself there.
        module: graph.find_modules_directly_imported_by(module) - {module}
        for module in graph.modules
    }
    assert len(imports["skillstudio.cli.main"]) > 2
    TopologicalSorter(imports).prepare()  # CycleError names the modules of a circle.
