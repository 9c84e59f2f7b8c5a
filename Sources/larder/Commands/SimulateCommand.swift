import Client
import Domain
import Ground
import HTTP
import Transport

/// The command `larder simulate`, which acts as many devices whose reports are known, and checks a server's statistics.
enum SimulateCommand: Command {
    static let name = "simulate"
    static let summary = "act as a fleet of devices that send reports, and check the statistics"
    static let about = """
        Sends the reports of devices that download, install and open versions of a package, which have to be published.
        The reports depend on the seed: a second run with the same one repeats them, and they count once, at the times of
        the first. To repeat a run that was interrupted, pass it the start which the run printed on standard error. A
        request that is not acknowledged is repeated until it is. At the end the command prints the statistics that the server must
        have, for a package without other reports; --check compares them with those of the server. Numbers of more than
        10,000 devices are estimates: they may be off by 4 standard errors of 0.81 %, and percentiles by 1/32.
        """
    static let ending =
        "Exit status: 0 success; 1 no connection, a server failure, or statistics that differ; 2 refused by the server; "
        + "64 wrong usage."

    /// An option for a share of what happens.
    private struct RateOption: Sendable {
        let name: String
        let usual: String
        let help: String
        let rate: any WritableKeyPath<FleetPlan.Rates, BasisPoints> & Sendable
    }

    private static let rateOptions = [
        RateOption(
            name: "--crash-rate", usual: "1",
            help: "the share of openings with a crash, and of those with a fault of a page", rate: \.crash),
        RateOption(
            name: "--failure-rate", usual: "5",
            help: "the share of config requests, of downloads and of installations that fail", rate: \.failure),
        RateOption(
            name: "--wrong-clocks", usual: "2", help: "the share of devices whose clock is off by years",
            rate: \.wrongClock),
        RateOption(
            name: "--offline", usual: "10", help: "the share of devices that report up to 20 days late",
            rate: \.offline),
        RateOption(
            name: "--duplicates", usual: "5", help: "the share of reports that are sent twice", rate: \.duplicate),
        RateOption(name: "--lost", usual: "1", help: "the share of reports that are never sent", rate: \.lost),
    ]

    private static let rates = Parameter<[String: String]>.options(
        rateOptions.map { option in
            OptionShape(
                name: option.name, placeholder: "PERCENT", help: "\(option.help) (default \(option.usual))")
        }
    ).map { values throws(CommandError) in
        var rates = FleetPlan.Rates()
        for option in rateOptions {
            guard let share = BasisPoints(percent: values[option.name] ?? option.usual) else {
                throw .usage("\(option.name) must be \(BasisPoints.shape)")
            }
            rates[keyPath: option.rate] = share
        }
        return rates
    }

    private static func number(
        _ name: String, _ placeholder: String, _ help: String, in range: ClosedRange<Int>
    ) -> Parameter<Int?> {
        Parameter<String?>.option(name, placeholder, help).map { text throws(CommandError) in
            guard let text else { return nil }
            guard let number = Int(text), range.contains(number) else {
                throw .usage("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    private static let versions = Parameter<String>.required(
        "--versions", "V,…", "the versions that the devices have, each the same share of them"
    ).map { text throws(CommandError) in
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let versions = words.compactMap { VersionString(String($0)) }
        guard versions.count == words.count, Set(words).count == words.count,
            versions.count <= FleetPlan.maximumVersions
        else {
            throw .usage(
                "--versions must list 1 to \(FleetPlan.maximumVersions) different versions, such as 1.0.0,1.1.0")
        }
        return versions
    }

    private static let start = Parameter<String?>.option(
        "--start", "TIME",
        "the time at which devices with a right clock report, by RFC 3339, such as that of a run to repeat "
            + "(default: now)"
    ).map { text throws(CommandError) in
        let now = SystemClientClock().wall()
        guard let text else { return now }
        guard let start = Timestamp(rfc3339: text), FleetPlan.starts(at: now).contains(start) else {
            throw .usage("--start must be a time by RFC 3339 of the last \(FleetPlan.maximumDaysAgo) days")
        }
        return start
    }

    private static let plan = Parameter<(PackageID, [VersionString], Int?, Int?, Timestamp, FleetPlan.Rates)>(
        .package, versions,
        number("--devices", "N", "the number of devices (default 1000)", in: 1...FleetPlan.maximumDevices),
        number("--seed", "N", "the number on which all reports depend (default 1)", in: 0...Int.max), start, rates
    ).map { package, versions, devices, seed, start, rates throws(CommandError) in
        FleetPlan(
            package: package, versions: versions, devices: devices ?? 1000, seed: UInt64(seed ?? 1),
            start: start, rates: rates)
    }

    /// The pace of a run.
    private struct Pace: Sendable {
        let connections: Int?
        let batch: Int?
        let rate: Int?
        let seconds: Int?
    }

    private static let pace = Parameter<(Int?, Int?, Int?, Int?)>(
        number(
            "--connections", "N", "the connections, with a request each (default 16)",
            in: 1...FleetRun.maximumConnections),
        number("--batch", "N", "the reports of a request (default 50)", in: 1...Fleet.maximumBatch),
        number("--rate", "N", "the limit on reports per second (default: none)", in: 1...10_000_000),
        number(
            "--duration", "SECONDS", "the devices report again and again for this time (default: once)",
            in: 1...86_400)
    ).map { connections, batch, rate, seconds throws(CommandError) in
        Pace(connections: connections, batch: batch, rate: rate, seconds: seconds)
    }

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    plan, .app, pace, .reportedServer,
                    .flag("--json", "print the course of the run and the statistics as JSON"))
            ) { plan, app, pace, server, isJSON throws(CommandError) in
                var options = FleetRun.Options(base: server.url.appending("/apps/\(app)"))
                options.connections = pace.connections ?? options.connections
                options.batch = pace.batch ?? options.batch
                options.rate = pace.rate
                options.duration = pace.seconds.map { .seconds($0) }
                Terminal.error("to repeat this run, add --start \(plan.start.rfc3339)")
                var report: FleetReport
                do throws(FleetRun.Failure) {
                    report = FleetReport(try FleetRun(plan, options, makeClient: server.makeClient).run())
                } catch {
                    throw .failure(error.message)
                }
                if let client = server.statistics { report.findings = try findings(report.outcome.truth, app, client) }
                Terminal.out(isJSON ? report.json.text : report.text)
                return report.isRight ? .success : .failure
            }
        ]
    }

    // MARK: Check

    /// The pause between two requests for statistics while too many reports wait to be aggregated, and the number of
    /// requests.
    private static let checkPause = Duration.seconds(2)
    private static let checkAttempts = 60

    /// Compares all numbers of the truth with those of the server.
    private static func findings(
        _ truth: FleetTruth, _ app: AppID, _ client: OperatorsClient
    ) throws(CommandError) -> [FleetQuery: [FleetFinding]] {
        var findings: [FleetQuery: [FleetFinding]] = [:]
        for query in FleetQuery.allCases {
            let path = "/apps/\(app)/packages/\(truth.plan.package)/stats\(query.parameters)"
            let response = try CommandError.asking { () throws(OperatorsError) in try statistics(path, by: client) }
            findings[query] = FleetFinding.compare(truth.rows(of: query), with: query.rows(in: response))
        }
        return findings
    }

    private static func statistics(_ path: String, by client: OperatorsClient) throws(OperatorsError) -> JSON {
        for _ in 1..<checkAttempts {
            do throws(OperatorsError) { return try client.call(.get, path).body } catch {
                guard case .refused(let problem) = error, problem.status == 503 else { throw error }
                SystemClientClock().sleep(for: checkPause)
            }
        }
        return try client.call(.get, path).body
    }
}
