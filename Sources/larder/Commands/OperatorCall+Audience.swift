import Domain
import Ground

extension OperatorCall {
    func showEstimate(_ response: JSON) throws(CommandError) {
        guard !isJSON else { return Terminal.out(response.text) }
        Terminal.out(
            "\(Self.text(response["matching"])) of \(Self.text(response["seen"])) devices would match"
                + Self.share(response) + ", with \(Self.text(response["reach"])) % at \(Self.text(response["at"]))")
        for refused in response["refused"]?.elements ?? [] {
            Terminal.out("  \(Self.text(refused["devices"])) refused first by: \(Self.text(refused["rule"]))")
        }
        Self.showCoverage(of: response)
    }

    func showReadiness(_ response: JSON) throws(CommandError) {
        guard !isJSON else { return Terminal.out(response.text) }
        Terminal.out(
            "\(Self.text(response["holding"])) of \(Self.text(response["matching"])) devices have "
                + "\(Self.text(response["version"])) already" + Self.share(response)
                + "; \(Self.text(response["silent"])) do not report what they have")
        Self.showCoverage(of: response)
    }

    private static func share(_ response: JSON) -> String {
        response["percent"] == .null ? "" : " (\(text(response["percent"])) %)"
    }

    /// Prints the basis and the limits of the numbers.
    private static func showCoverage(of response: JSON) {
        let coverage = response["coverage"]
        let since = coverage?["since"]?.string.map { "recorded since \($0)" } ?? "none recorded yet"
        Terminal.out(
            "of \(text(response["seen"])) devices seen on \(text(response["channel"])) in the last \(text(response["days"])) days, "
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
