/// The command `larder man`, which prints the manual page.
enum ManCommand: Command {
    static let name = "man"
    static let summary = "print the manual page"
    static let about = """
        Prints the manual page of all commands in roff: 'larder man | man -l -' shows it, and
        'larder man > /usr/local/share/man/man1/larder.1' installs it.
        """
    static let ending = "Exit status: 0 success; 64 wrong usage."

    static var verbs: [Verb] {
        [
            Verb(Parameter<Void>.constant(())) { _ throws(CommandError) in
                Terminal.out(ManualPage.text)
                return .success
            }
        ]
    }
}

/// The manual page in roff, from the declarations of the commands.
enum ManualPage {
    static var text: String {
        """
        .TH LARDER 1 "" "larder \(Larder.version)" "User Commands"
        .SH NAME
        larder \\- stores, releases and delivers the offline packages of hybrid apps
        .SH SYNOPSIS
        .B larder
        .I COMMAND
        .RI [ VERB ]
        .RI [ OPERAND \\ ...]
        .RI [ OPTION \\ ...]
        .SH DESCRIPTION
        An option is written as \\fB\\-\\-name\\fR \\fIVALUE\\fR, \\fB\\-\\-name=\\fIVALUE\\fR or by its letter. Flags can be joined
        as in \\fB\\-qy\\fR. Every word after \\fB\\-\\-\\fR is an operand.
        .SH COMMANDS
        \(CommandTable.commands.map(section).joined(separator: "\n"))
        .SH FILES
        .TP
        .I larder.json
        The settings of a front-end project (larder init).
        .TP
        .I ~/.config/larder/profiles.json
        The profiles of larder login; below XDG_CONFIG_HOME if that is set.
        .SH EXIT STATUS
        0 success; 1 failure; 2 refused by the server, lint errors, or findings; 3 published with warnings, if
        \\-\\-warnings\\-exit is given; 64 wrong usage.
        """
    }

    private static func section(_ command: any Command.Type) -> String {
        let help = CommandHelp(
            command: command.name, verbs: command.verbs, isWhole: true, about: command.about, ending: command.ending)
        let verbs = command.verbs.filter { !$0.name.isEmpty }.map { verb in
            ".TP\n.B larder \(escaped(command.name)) \(escaped(verb.name))\(operands(of: verb))\n"
                + line(verb.summary)
        }
        let options = help.shapes.map { option in
            let letter = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
            let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
            return ".TP\n\(letter)\\fB\(escaped(option.name))\\fR\(value)\n" + line(help.text(of: option))
        }
        let only = command.verbs.first.map { $0.name.isEmpty ? operands(of: $0) : "" } ?? ""
        return ([".SS larder \(escaped(command.name))\(only)", paragraphs(command.about)] + verbs + options)
            .joined(separator: "\n")
    }

    private static func operands(of verb: Verb) -> String { verb.operands.map { " " + escaped($0.usage) } ?? "" }

    /// Returns paragraphs that are filled, and those with indented lines as they are.
    private static func paragraphs(_ text: String) -> String {
        var result: [String] = []
        var isFilled = true
        for text in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if text.isEmpty {
                result.append(".PP")
            } else {
                let fills = !text.hasPrefix(" ")
                if fills != isFilled { result.append(fills ? ".fi" : ".nf") }
                isFilled = fills
                result.append(line(text))
            }
        }
        return (result + (isFilled ? [] : [".fi"])).joined(separator: "\n")
    }

    /// Returns a line of text, which no request of roff may begin.
    private static func line(_ text: String) -> String {
        text.first.map { $0 == "." || $0 == "'" } == true ? "\\&" + escaped(text) : escaped(text)
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "…": "..."
            default: String(character)
            }
        }.joined()
    }
}
