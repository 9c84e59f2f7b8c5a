import Client
import Domain
import Ground

/// The command `larder status`, which shows the releases of an app that change or need attention.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "show what is rolling out, what is planned, and what is unhealthy"
    static let about = """
        Prints the releases of all packages of an app that are on the way: on offer to a part of the devices or with a
        rollout plan that goes on, scheduled, paused, halted, or judged as unhealthy. A release on offer to everyone is
        not listed.
        """

    /// A group of releases, in the order of the output.
    private enum Group: String, CaseIterable {
        case unhealthy
        case rollingOut
        case planned
        case stopped

        var title: String {
            switch self {
            case .unhealthy: "Unhealthy"
            case .rollingOut: "Rolling out"
            case .planned: "Planned"
            case .stopped: "Paused or halted"
            }
        }

        /// Returns the group of a release; `nil` if it needs no attention.
        init?(_ release: JSON) {
            if release["verdict"]?["state"] == "unhealthy" {
                self = .unhealthy
                return
            }
            switch release["state"]?.string {
            // An active release with a plan has steps left, or is below 100 %.
            case "active" where release["plan"] != nil || release["percent"]?.integer != 100: self = .rollingOut
            case "scheduled": self = .planned
            case "paused", "halted": self = .stopped
            default: return nil
            }
        }
    }

    private static let columns = [
        Column("package", "package", .whole), Column("release", "id", .number), Column("version", "version"),
        Column("channel", "channel"), Column("state", "state", .state), Column("%", "percent", .number),
        Column("begins", "activeTime", .time), Column("next step", "nextStepAt", .time),
        Column("health", "verdict.note"),
    ]

    static var verbs: [Verb] {
        [
            Verb(Parameter(.app, .reading)) { app, call throws(CommandError) in
                let releases = try releases(of: app, call.client)
                let groups = Group.allCases.map { group in (group, releases.filter { Group($0) == group }) }
                guard !call.isJSON else {
                    let members = groups.map { JSON.Member($0.0.rawValue, .array($0.1)) }
                    Terminal.out(JSON.object([.init("app", .string(app.text))] + members).text)
                    return .success
                }
                for (group, releases) in groups where !releases.isEmpty {
                    Terminal.out("\(group.title):")
                    for line in Table(columns: columns, objects: releases).lines() { Terminal.out(line) }
                }
                if groups.allSatisfy({ $0.1.isEmpty }) {
                    Terminal.out("Nothing is rolling out, planned, stopped or unhealthy in the app '\(app)'.")
                }
                return .success
            }
        ]
    }

    /// Returns the releases of all packages of an app that are neither rolled back nor superseded.
    private static func releases(of app: AppID, _ client: OperatorsClient) throws(CommandError) -> [JSON] {
        let states = ReleaseState.allCases.filter { $0 != .rolledBack && $0 != .superseded }.map(\.rawValue)
        return try CommandError.asking { () throws(OperatorsError) in
            try client.pages("/apps/\(app)/releases?state=\(states.joined(separator: ","))", of: "releases").body[
                "releases"]?.elements ?? []
        }
    }
}
