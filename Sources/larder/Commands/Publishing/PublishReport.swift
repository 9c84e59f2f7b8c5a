import Client
import Domain
import Ground

/// The messages of `larder publish` about the version in the server's response.
struct PublishReport {
    let subject: String
    /// The version as the server describes it.
    let version: JSON
    let outcome: Outcome
    /// The warnings that the project accepts.
    let waivers: [Project.Waiver]

    enum Outcome {
        case published, unchanged, exists, possible
    }

    /// The outcome in a few words.
    var title: String {
        switch outcome {
        case .published: "Published \(subject)"
        case .possible: "Would publish \(subject)"
        case .unchanged, .exists: "\(subject) is published already"
        }
    }

    /// The rows of a summary.
    var facts: [(String, String)] {
        let facts: [(String, String?)] = [
            ("files", version["files"]?.integer.map { String($0) }),
            ("download", version["archiveBytes"]?.integer.map { ByteCount.text(Int($0)) }),
            ("commit", Self.shown(version, "commit")), ("notes", Self.shown(version, "notes")),
            ("warnings", String(warnings.count)),
        ]
        return facts.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The line for the outcome, and one for each warning and each used waiver.
    var lines: [String] {
        switch outcome {
        case .published: ["published \(subject): \(sizes) to download"] + findings
        case .possible: ["would publish \(subject): \(sizes) to download; nothing was stored"] + findings
        case .unchanged: ["\(subject) is published already, with the same content"] + retirement
        case .exists:
            [
                version["sameContent"]?.bool == true
                    ? "\(subject) exists already, with the same content"
                    : "\(subject) exists already, with other content; nothing was changed"
            ] + retirement
        }
    }

    private var sizes: String {
        let files = version["files"]?.integer ?? 0
        return "\(files) files, \(ByteCount.text(Int(version["archiveBytes"]?.integer ?? 0)))"
    }

    private var retirement: [String] {
        guard let retired = version["retired"] else { return [] }
        let reason = Self.shown(retired, "reason") ?? ""
        return ["it is retired, and cannot be released until the retirement is reverted: \(reason)"]
    }

    /// The warnings in the format of `larder lint`.
    private var findings: [String] {
        warnings.map { "warning \(Self.heading($0)): \(Self.shown($0, "message") ?? "")" }
            + (version["waived"]?.elements ?? []).map { waived in
                let count = waived["findings"]?.integer ?? 0
                return "waived \(Self.heading(waived)) (\(count)): \(Self.shown(waived, "reason") ?? "")"
            }
    }

    /// The warnings that neither the server nor the project waives.
    var warnings: [JSON] {
        (version["warnings"]?.elements ?? []).filter { finding in
            !waivers.contains { $0.covers(finding["code"]?.string ?? "", finding["path"]?.string) }
        }
    }

    private static func heading(_ json: JSON) -> String {
        (shown(json, "code") ?? "") + (shown(json, "path").map { " \($0)" } ?? "")
    }

    /// Returns a member with the characters escaped that would act on a terminal.
    private static func shown(_ json: JSON, _ key: String) -> String? {
        json[key]?.string.map { ShownText.of($0.utf8, upTo: 2000) }
    }
}
