"""Public test vectors, real manifests and the programs of others, compared with our results.

test_json.py, test_toml.py and test_json_schema.py run public suites; test_corpus.py, test_moving.py
and test_half_typed.py read real manifests; test_loaders.py and test_targets_against_the_real.py run
clients and validators. Most data is in SKILLSTUDIO_DATA; vectors/ has our own.
"""
