"""Skills of a workspace: lookup, fixes, dependencies, visibility, versions.

versions/ has operands, comparison, bump and waivers; pins/ has protos and locks; hashing/ has the
content hash and the identity. test_visibility.py: which targets load a skill; test_fixing.py: safe
fixes; test_dependencies.py: what skills need of each other.
"""
