import HTTP

/// The table of all commands: the one source of the overview, the help, the completion, the man page and suggestions.
enum CommandTable {
    static var commands: [any Command.Type] {
        [
            ServeCommand.self, LoginCommand.self, LogoutCommand.self, ProfileCommand.self, InitCommand.self,
            LintCommand.self, PublishCommand.self, ReleaseCommand.self, ReleaseSetCommand.self,
            RollbackCommand.self, ApprovalCommand.self, KillCommand.self, OnlineCommand.self, ExplainCommand.self,
            StatsCommand.self,
            StatusCommand.self, SearchCommand.self,
            AppCommand.self, ChannelCommand.self, PackageCommand.self, VersionCommand.self, WaiverCommand.self,
            DeviceCommand.self, DeviceListCommand.self, BuildCommand.self, GrantCommand.self, WebhookCommand.self,
            SyncCommand.self, UserCommand.self, TokenCommand.self, CITrustCommand.self, SignInProviderCommand.self,
            KeyCommand.self,
            PresetCommand.self,
            SystemCommand.self, AuditCommand.self, PruneCommand.self, SimulateCommand.self,
            DoctorCommand.self, BackupCommand.self, RestoreCommand.self, MoveCommand.self, CompletionCommand.self,
            ManCommand.self,
        ]
    }

    /// Returns the command of a name or an alias.
    static func command(_ name: String) -> (any Command.Type)? {
        commands.first { $0.name == name || $0.aliases.contains(name) }
    }

    /// Returns the error for a name that no command has.
    static func unknown(_ name: String) -> String {
        let names = commands.flatMap { [$0.name] + $0.aliases }
        let hint = Suggestion.closest(to: name, in: names).map { " Did you mean '\($0)'?" } ?? ""
        return "larder: unknown command '\(name)'.\(hint) 'larder --help' lists the commands."
    }

    static func overview() -> String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map { command in
            "  " + command.name + String(repeating: " ", count: width - command.name.count + 2) + command.summary
        }
        return """
            larder \(Larder.version): stores, releases and delivers the offline packages of hybrid apps

            usage: larder COMMAND [VERB] [OPTION …]

            \(lines.joined(separator: "\n"))

            'larder help COMMAND [VERB]' explains a command and lists its options. Exit status: 0 success, 1 failure,
            64 wrong usage; 2 depends on the command: refused by the server, lint errors, or findings.
            """
    }

    // MARK: Requests in messages

    /// The options for members of requests that messages of the server name.
    private static let options: KeyValuePairs<String, String> = [
        "action": "--action", "activeTime": "--at", "again": "--again", "approvalReason": "--approval-reason",
        "approvals": "--approvals", "breakGlass": "--break-glass", "downloads": "--download-rate",
        "expires": "--expires", "floor": "--floor", "force": "--force", "now": "--now", "percent": "--percent",
        "plan": "--plan", "sameAudienceAs": "--same-audience-as", "to": "--to", "updateMode": "--update-mode",
        "urlPrefix": "--url-prefix", "whitelist": "--whitelist", "wifiOnly": "--wifi-only",
        "withoutRules": "--without-rules",
    ]

    /// Returns a message in which names of members are options.
    private static func namingOptions(in message: String) -> String {
        options.reduce(message) { message, option in
            message.replacing("'\(option.key)' (\(option.value))", with: option.value)
                .replacing("send '\(option.key)': true", with: "give \(option.value)")
                .replacing("'\(option.key)': true", with: option.value)
                .replacing("\"\(option.key)\": true", with: option.value)
                .replacing("'\(option.key)'", with: option.value)
        }
    }

    /// Returns a message of the server in terms of the command line: each request that a verb sends is replaced by the
    /// verb, and the name of a member by its option.
    static func namingVerbs(in message: String) -> String {
        let words = message.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        var result: [String] = []
        var index = 0
        while index < words.count {
            let (word, next) = (words[index], index + 1 < words.count ? words[index + 1] : "")
            let begin = String(word.prefix { !$0.isUppercase })
            let end = String(next.reversed().prefix { ".,;:)'".contains($0) }.reversed())
            let path = String(next.dropLast(end.count))
            if let line = line(String(word.dropFirst(begin.count)), path) {
                result.append("\(begin)\(line)\(end)")
                index += 2
            } else {
                result.append(word)
                index += 1
            }
        }
        return namingOptions(in: result.joined(separator: " "))
    }

    /// Returns the command line that sends a request.
    private static func line(_ method: String, _ path: String) -> String? {
        guard path.hasPrefix("/api/v1/") || path.hasPrefix("…/") else { return nil }
        for command in commands {
            for verb in command.verbs {
                guard let route = verb.route, route.method.token == method, let values = route.values(in: path) else {
                    continue
                }
                let words = ["larder", command.name, verb.name].filter { !$0.isEmpty }.joined(separator: " ")
                return words + route.words(values)
            }
        }
        return nil
    }
}
