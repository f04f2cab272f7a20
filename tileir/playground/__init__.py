"""`tileir playground`: a folder for any web server, in which this library runs in the browser.

`folder.py` says what is in it, `command.py` writes it. Python is CPython for WebAssembly, from the
npm package of Pyodide (`runtime.py`), and works in a worker, where the page calls `door.py`. What
browsers may do with each file is in `policy.py`.
"""
