"""Types command lines with tabs into a real shell, and prints the lines that it then ran, one for each.

usage: shell_completion.py SHELL LARDER FOLDER LINE …

FOLDER is empty: it gets a program `larder` that prints its arguments, unless a completion script asks for candidates. In a
LINE, a tab is written as '^I'.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

PATIENCE = 120
MARK = "ran:"
STARTS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "PS1='> '; source <(larder completion bash)"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "PS1='> '; autoload -U compinit; compinit -u -D; larder completion zsh > $DIR/_larder; source $DIR/_larder",
    ),
    "fish": (["fish", "--no-config", "-i"], "function fish_prompt; echo '> '; end; larder completion fish | source"),
}


class Shell:
    def __init__(self, name, environment):
        arguments, self.first = STARTS[name]
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
            os.execvpe(arguments[0], arguments, environment)
        self.shown = ""

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait(self, text):
        """Waits until the text was printed once more, and returns the line with it."""
        while text not in self.shown:
            ready, _, _ = select.select([self.terminal], [], [], PATIENCE)
            if not ready:
                sys.exit(f"shell_completion.py: '{text}' did not appear in {self.shown!r}")
            self.shown += os.read(self.terminal, 65536).decode(errors="replace")
            if text in self.shown and "\n" not in self.shown[self.shown.rindex(text):]:
                continue
        rest = self.shown[self.shown.index(text) + len(text):]
        while "\n" not in rest:
            rest += os.read(self.terminal, 65536).decode(errors="replace")
        line, self.shown = rest.split("\n", 1)
        return line.strip()


def main():
    name, larder, folder, lines = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    with open(f"{folder}/larder", "w") as program:
        program.write(
            f"#!/bin/sh\nif [ \"$1\" = completion ]; then exec {larder} \"$@\"; fi\n"
            f"printf '\\n{MARK[:2]}%s%s\\n' '{MARK[2:]}' \"$*\"\n"
        )
    os.chmod(f"{folder}/larder", 0o755)
    environment = dict(
        os.environ, PATH=f"{folder}:{os.environ['PATH']}", DIR=folder, HOME=folder, TERM="xterm", XDG_CONFIG_HOME=folder,
        XDG_DATA_HOME=folder,
    )
    shell = Shell(name, environment)
    shell.type(shell.first + "\n")
    shell.type("larder ready\n")
    shell.wait(MARK + "ready")
    for line in lines:
        shell.type(line.replace("^I", "\t") + "\n")
        print(shell.wait(MARK))
    os.close(shell.terminal)


main()
