import Domain
import Ground

extension ReleaseCall {
    func showEstimate(_ answer: JSON) throws(CommandError) {
        guard !isJSON else { return Terminal.out(answer.text) }
        Terminal.out(
            "\(Self.text(answer["matching"])) of \(Self.text(answer["seen"])) devices would match"
                + Self.share(answer) + ", with \(Self.text(answer["reach"])) % at \(Self.text(answer["at"]))")
        for refused in answer["refused"]?.elements ?? [] {
            Terminal.out("  \(Self.text(refused["devices"])) refused first by: \(Self.text(refused["rule"]))")
        }
        Self.showCoverage(of: answer)
    }

    func showReadiness(_ answer: JSON) throws(CommandError) {
        guard !isJSON else { return Terminal.out(answer.text) }
        Terminal.out(
            "\(Self.text(answer["holding"])) of \(Self.text(answer["matching"])) devices have "
                + "\(Self.text(answer["version"])) already" + Self.share(answer)
                + "; \(Self.text(answer["silent"])) do not report what they have")
        Self.showCoverage(of: answer)
    }

    private static func share(_ answer: JSON) -> String {
        answer["percent"] == .null ? "" : " (\(text(answer["percent"])) %)"
    }

    /// Prints the basis and the limits of the numbers.
    private static func showCoverage(of answer: JSON) {
        let coverage = answer["coverage"]
        let since = coverage?["since"]?.string.map { "recorded since \($0)" } ?? "none recorded yet"
        Terminal.out(
            "of \(text(answer["seen"])) devices seen on \(text(answer["channel"])) in the last \(text(answer["days"])) days, "
                + since)
        if coverage?["limitReached"]?.bool == true {
            Terminal.error(
                "warning: the server records at most \(text(coverage?["limit"])) devices and has reached this limit "
                    + "(--devices-seen)")
        }
        if let dropped = coverage?["dropped"]?.integer, dropped > 0 {
            Terminal.error("warning: \(dropped) requests of devices were not recorded since the server started")
        }
    }
}
