import Domain
package import Ground

extension SyncResult {
    /// The result for machines; members may be added, and are never renamed.
    package var json: JSON {
        .object([
            "server": .string(server), "app": .string(app), "deviceId": .string(deviceID),
            "rootKey": .object(["fingerprint": .string(rootKey), "trust": .string(trust.rawValue)]),
            "configVersion": configVersion.map { .integer($0) },
            "configSignature": signature.map { signature in
                .object([
                    "keyId": .string(signature.keyID.text), "created": .string(signature.created.rfc3339),
                    "expires": .string(signature.expires.rfc3339),
                ])
            } ?? .null,
            "serverTime": .string(serverTime.rfc3339),
            "success": .bool(isSuccess),
            "packages": .array(packages.map(\.json)),
            "reports": .object([
                "sent": .integer(Int64(reports.sent)), "dropped": .integer(Int64(reports.dropped)),
                "waiting": .integer(Int64(reports.waiting)), "failure": reports.failure.map { .string($0) },
            ]),
        ])
    }
}

extension PackageOutcome {
    package var json: JSON {
        var members = [JSON.Member("package", .string(package.text))] + (result.json.members ?? [])
        if isMandatory { members.append(.init("mandatory", true)) }
        if let onlineUntil { members.append(.init("onlineUntil", .string(onlineUntil.rfc3339))) }
        if let next { members.append(.init("next", next.json)) }
        return .object(members)
    }
}

extension PackageOutcome.Result {
    fileprivate var json: JSON {
        switch self {
        case .unchanged(let version): .object(["outcome": "unchanged", "version": .string(version)])
        case .updated(let update):
            .object([
                "outcome": "updated", "from": update.from.map { .string($0) }, "to": .string(update.to),
                "by": .string(update.means.rawValue), "bytes": .integer(Int64(update.bytes)),
                "fallback": update.fallback?.json,
            ])
        case .skipped(.bySeedRule(let rule)): .object(["outcome": "skipped", "reason": .string(rule.rawValue)])
        case .skipped(.notOffered): .object(["outcome": "skipped", "reason": "not-offered"])
        case .waiting(let from, let to, let slot):
            .object([
                "outcome": "waiting", "from": from.map { .string($0) }, "to": .string(to),
                "downloadAfter": .string(slot.rfc3339),
            ])
        case .failed(let from, let to, let failure):
            .object([
                "outcome": "failed", "from": from.map { .string($0) }, "to": to.map { .string($0) },
                "reason": .string(failure.reason.rawValue), "message": .string(failure.message),
            ])
        }
    }
}

extension PackageOutcome.Upcoming {
    fileprivate var json: JSON {
        .object([
            "state": failure != nil ? "failed" : downloadAfter != nil ? "waiting" : "ready",
            "version": .string(version),
            "activeTime": .string(activeTime.rfc3339), "bytes": .integer(Int64(bytes)), "failure": failure?.json,
            "downloadAfter": downloadAfter.map { .string($0.rfc3339) },
        ])
    }
}

extension PackageFailure {
    fileprivate var json: JSON {
        .object(["reason": .string(reason.rawValue), "message": .string(message)])
    }
}
