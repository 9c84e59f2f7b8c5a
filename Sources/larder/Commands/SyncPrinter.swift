import Client
import Domain
import Ground

/// A printer of the results of a sync, as text or JSON.
final class SyncPrinter {
    private let asJSON: Bool
    private var meter: (package: PackageID, meter: ProgressMeter)?

    init(asJSON: Bool) {
        self.asJSON = asJSON
    }

    func progress(_ package: PackageID, _ done: Int, _ all: Int) {
        if meter?.package != package {
            meter?.meter.finish()
            meter = (package, ProgressMeter(label: "downloading \(package)"))
        }
        meter?.meter.show(done, of: all)
    }

    func show(_ notice: WatchNotice) {
        switch notice {
        case .passed(let result): show(result)
        case .failed(let error, let delay):
            Terminal.error("larder sync: \(error) Retrying in \(max(1, delay.components.seconds)) s.")
        }
    }

    func show(_ result: SyncResult) {
        meter?.meter.finish()
        meter = nil
        guard !asJSON else {
            Terminal.out(result.json.text)
            return
        }
        if result.trust == .firstUse {
            Terminal.error(
                "larder sync: warning: trusting the root key \(result.rootKey) of '\(result.app)', which is seen here for "
                    + "the first time. To verify it, give the expected fingerprint as --root-key.")
        }
        if result.signature == nil {
            Terminal.error(
                "larder sync: warning: the server's /config is not signed: an attacker on the network can offer old "
                    + "versions, or withhold new ones."
            )
        }
        for package in result.packages {
            Terminal.out("\(package.package): \(Self.text(package.result))")
            if let time = package.onlineUntil { Terminal.out("  pages are loaded from the network until \(time)") }
            if package.isMandatory { Terminal.out("  must be updated before it is opened") }
            if let next = package.next { Terminal.out("  " + Self.text(next)) }
        }
        if let failure = result.reports.failure {
            Terminal.error("larder sync: \(result.reports.waiting) reports could not be sent yet: \(failure)")
        }
    }

    private static func text(_ result: PackageOutcome.Result) -> String {
        switch result {
        case .unchanged(let version): return "\(version) is current"
        case .updated(let update):
            let from = update.from.map { "\($0) → " } ?? ""
            let fallback = update.fallback.map { " (a smaller update failed: \($0.message))" } ?? ""
            return "\(from)\(update.to), \(Self.text(update))\(fallback)"
        case .skipped(.bySeedRule(let rule)): return "skipped: \(rule.rawValue)"
        case .skipped(.notOffered): return "skipped: the server does not offer it"
        case .waiting(_, let to, let slot): return "downloads \(to) in its download slot, at \(slot)"
        case .failed(_, let to, let failure): return "not updated\(to.map { " to \($0)" } ?? ""): \(failure.message)"
        }
    }

    private static func text(_ update: PackageOutcome.Update) -> String {
        switch update.means {
        case .full: "full, \(ByteCount.text(update.bytes))"
        case .files: "incremental, \(ByteCount.text(update.bytes))"
        case .delta: "delta, \(ByteCount.text(update.bytes))"
        case .prepared: "downloaded ahead"
        }
    }

    private static func text(_ next: PackageOutcome.Upcoming) -> String {
        if let slot = next.downloadAfter {
            return "next: \(next.version) at \(next.activeTime), downloaded in its download slot, at \(slot)"
        }
        guard let failure = next.failure else { return "next: \(next.version) at \(next.activeTime), downloaded" }
        return "next: \(next.version) at \(next.activeTime), not downloaded: \(failure.message)"
    }
}
