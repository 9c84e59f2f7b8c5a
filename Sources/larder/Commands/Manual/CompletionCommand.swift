/// The command `larder completion`, which completes command lines in shells.
enum CompletionCommand: Command {
    static let name = "completion"
    static let summary = "print the script that completes command lines in bash, zsh or fish"
    static let about = """
        Prints a script for the shell, which asks this program for the commands, verbs, options and values that fit:

          bash   larder completion bash > ~/.local/share/bash-completion/completions/larder
          zsh    larder completion zsh > ~/.zfunc/_larder
          fish   larder completion fish > ~/.config/fish/completions/larder.fish

        The folder must exist; for zsh, 'fpath+=~/.zfunc' must precede 'compinit' in ~/.zshrc.
        """
    static let ending = "Exit status: 0 success; 64 wrong usage."

    /// The limit on the words of a command line.
    private static let maximumWords = 1_000

    static var verbs: [Verb] {
        [
            script("bash", bash), script("zsh", zsh), script("fish", fish),
            Verb(
                "words", "print what completes the last of the words after '--', with its help; ':files' for any path",
                Parameter<[String]>.operands("-- WORD …", upTo: maximumWords)
            ) { words throws(CommandError) in
                switch Completion.complete(words) {
                case .files: Terminal.out(":files")
                case .words(let candidates):
                    for candidate in candidates { Terminal.out("\(candidate.word)\t\(candidate.help)") }
                }
                return .success
            },
        ]
    }

    private static func script(_ shell: String, _ text: String) -> Verb {
        Verb(shell, "print the script for \(shell)", Parameter<Void>.constant(())) { _ throws(CommandError) in
            Terminal.out(text)
            return .success
        }
    }

    private static let bash = #"""
        _larder() {
            local IFS=$'\n' current="${COMP_WORDS[COMP_CWORD]}" line
            COMPREPLY=()
            while read -r line; do
                if [[ $line == :files ]]; then
                    compopt -o filenames
                    COMPREPLY=($(compgen -f -- "$current"))
                    return
                fi
                COMPREPLY+=("${line%%$'\t'*}")
            done < <("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
        }
        complete -F _larder larder
        """#

    private static let zsh = #"""
        #compdef larder
        _larder() {
            local -a found
            local line
            for line in "${(@f)$("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
                if [[ $line == :files ]]; then
                    _files
                    return
                fi
                [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
            done
            _describe larder found
        }
        if [[ $funcstack[1] == _larder ]]; then
            _larder "$@"
        else
            compdef _larder larder
        fi
        """#

    private static let fish = #"""
        function __larder_complete
            set -l words (commandline -opc) (commandline -ct)
            set -l found ($words[1] completion words -- $words[2..-1] 2>/dev/null)
            if test "$found" = :files
                __fish_complete_path (commandline -ct)
            else
                printf '%s\n' $found
            end
        end
        complete -c larder -f -a '(__larder_complete)'
        """#
}
