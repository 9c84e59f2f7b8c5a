"""Runs a program in a pseudo-terminal and prints what the terminal got.

usage: terminal.py COLUMNS ANSWER PROGRAM [ARGUMENT …]

ANSWER is typed when the program asks with '[y/N]' or for a token; the exit status is that of the program.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

PATIENCE = 120


def main():
    columns, answer, arguments = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    child, terminal = pty.fork()
    if child == 0:
        # The size is set before the program starts, since it asks for it once.
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        os.execvpe(arguments[0], arguments, os.environ)
    shown = b""
    while True:
        ready, _, _ = select.select([terminal], [], [], PATIENCE)
        if not ready:
            sys.exit(f"terminal.py: nothing for {PATIENCE} s after {shown!r}")
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if answer and (b"[y/N]" in shown or b"Token of" in shown):
            os.write(terminal, answer.encode() + b"\n")
            answer = ""
    _, status = os.waitpid(child, 0)
    sys.stdout.write(shown.decode().replace("\r\n", "\n"))
    sys.exit(os.waitstatus_to_exitcode(status))


main()
