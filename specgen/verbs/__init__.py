"""The verbs of the command line: functions of the arguments that return the exit status.

Each gets its streams passed in; they differ only in what they do with the end of the chain.
"""
