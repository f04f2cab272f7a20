"""Random programs through everything: verifier, text, CPU, PTX and ptxas, emulator, tileiras.

    python -m tests.lab.campaign FOLDER --count 20000

What is computed is compared with the model of the ops. Each module is a line of a ledger, so a
campaign that was stopped goes on; what differs is kept with the module and its arguments.
"""
