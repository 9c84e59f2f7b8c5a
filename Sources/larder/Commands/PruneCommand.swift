import Client
import Domain
import Ground
import HTTP

/// The command `larder prune`, which removes unneeded versions and patches.
enum PruneCommand: Command {
    static let name = "prune"
    static let summary = "remove versions and patches that are no longer needed"
    static let about = """
        Makes the server remove versions and patches now instead of at its next daily run. The settings --keep-versions,
        --keep-days and --grace-hours of 'larder serve' determine which ones; a file that a response names, or named
        within the grace period, is never removed. Requires an admin's token. With --json it prints an array of the
        server's responses: a long run takes several requests.
        """
    static let ending = """
        Exit status: 0 success, even if nothing was removed; 1 the server could not be reached or failed, or something
        could not be removed; 2 the server refused the request; 64 wrong usage.
        """

    static var verbs: [Verb] {
        [
            Verb(Parameter(.actingServer, .json, .yes), route: "POST /prune") {
                client, isJSON, isConfirmed throws(CommandError) in
                let call = OperatorCall(
                    client: client, form: isJSON ? .json : .text, isConfirmed: isConfirmed)
                if call.mayAsk {
                    _ = try prune(client.rehearsing, false)
                    try call.confirm()
                }
                return try prune(client, isJSON)
            }
        ]
    }

    private static func prune(_ client: OperatorsClient, _ isJSON: Bool) throws(CommandError) -> ExitCode {
        var responses: [JSON] = []
        repeat {
            do throws(OperatorsError) { responses.append(try client.call(.post, "/prune").body) } catch {
                if !responses.isEmpty, !isJSON { show(responses) }
                if case .refused(let problem) = error { throw .serverProblem(problem, problem.description) }
                throw .failure(error.description)
            }
        } while responses.last.map(goesOn) ?? false
        if isJSON { Terminal.out(JSON.array(responses).text) } else { show(responses) }
        return responses.contains { $0["failures"]?.elements?.isEmpty == false } ? .failure : .success
    }

    /// Returns whether another request may remove more; not if this one removed nothing.
    private static func goesOn(_ response: JSON) -> Bool {
        guard response["more"]?.bool == true, response["dryRun"]?.bool != true else { return false }
        return ["versions", "archives", "blobs"].contains { (response[$0]?.integer ?? 0) > 0 }
    }

    private static func show(_ responses: [JSON]) {
        func count(_ key: String) -> Int { responses.reduce(0) { $0 + Int($1[key]?.integer ?? 0) } }
        for item in responses.flatMap({ $0["items"]?.elements ?? [] }) { Terminal.out(line(item)) }
        if count("unlisted") > 0 { Terminal.out("… and \(count("unlisted")) more") }
        for app in responses.last?["skippedApps"]?.elements ?? [] {
            Terminal.out(
                "skipped: the app \(shown(app)), whose last change is not in effect yet; try again in a minute")
        }
        if responses.contains(where: { $0["heldByBackup"]?.bool == true }) {
            Terminal.out("skipped: blobs, because a backup is copying them; run this again after the backup")
        }
        for failure in responses.flatMap({ $0["failures"]?.elements ?? [] }) {
            Terminal.error("failed: \(shown(failure))")
        }
        if responses.last?["more"]?.bool == true {
            Terminal.error("the server reached its time limit: there may be more to remove")
        }
        let verb = responses.last?["dryRun"]?.bool == true ? "would remove" : "removed"
        Terminal.out(
            "\(verb) versions: \(count("versions")), archives and patches: \(count("archives")), "
                + "blobs: \(count("blobs")), \(ByteCount.text(count("bytes")))")
    }

    private static func line(_ item: JSON) -> String {
        func part(_ key: String) -> String { item[key].map(shown) ?? "" }
        let from = item["from"] == nil ? "" : " from \(part("from"))"
        return "\(part("app"))/\(part("package")) \(part("version")): \(part("kind"))\(from), \(part("reason"))"
    }

    private static func shown(_ value: JSON) -> String { ShownText.of((value.string ?? "").utf8) }
}
