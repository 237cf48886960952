"""The commands of `specviz`, a file each; `specviz/__main__.py` joins them.

options.py   options that several commands take, and those that settings make
terminal.py  what is printed, and where
saving.py    a run, followed while it goes on, and saved
recorded.py   a record of another engine, printed
deciding.py   which K pays, from a record and what drafting costs
torchrun.py  which of several processes speaks
"""
