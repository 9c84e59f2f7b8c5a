import Client
import Domain

/// What `larder publish` says of the version that the server answered with.
struct PublishReport {
    let subject: String
    /// As the server wrote it.
    let version: JSON

    /// A line, and one for each warning and each waiver that covered something.
    func lines(of outcome: Outcome) -> [String] {
        switch outcome {
        case .published: ["published \(subject): \(sizes) to download"] + findings
        case .possible: ["would publish \(subject): \(sizes) to download; nothing was kept"] + findings
        case .unchanged: ["\(subject) is published already, with the same content"] + retirement
        case .exists:
            [
                version["sameContent"]?.bool == true
                    ? "\(subject) is there already, with the same content"
                    : "\(subject) is there already, with other content; nothing was changed"
            ] + retirement
        }
    }

    enum Outcome {
        case published, unchanged, exists, possible
    }

    private var sizes: String {
        let files = version["files"]?.integer ?? 0
        return "\(files) files, \(ByteCount.text(Int(version["archiveBytes"]?.integer ?? 0)))"
    }

    private var retirement: [String] {
        guard let retired = version["retired"] else { return [] }
        let reason = Self.shown(retired, "reason") ?? ""
        return ["it is retired and cannot be released until it is taken back: \(reason)"]
    }

    /// Warnings as `larder lint` says them.
    private var findings: [String] {
        (version["warnings"]?.elements ?? []).map { "warning \(Self.place($0)): \(Self.shown($0, "message") ?? "")" }
            + (version["waived"]?.elements ?? []).map { waived in
                let count = waived["findings"]?.integer ?? 0
                return "waived \(Self.place(waived)) (\(count)): \(Self.shown(waived, "reason") ?? "")"
            }
    }

    private static func place(_ json: JSON) -> String {
        (shown(json, "code") ?? "") + (shown(json, "path").map { " \($0)" } ?? "")
    }

    /// What comes from the package, or from other people, made fit for a terminal.
    private static func shown(_ json: JSON, _ key: String) -> String? {
        json[key]?.string.map { ShownText.of($0.utf8, upTo: 2000) }
    }
}
