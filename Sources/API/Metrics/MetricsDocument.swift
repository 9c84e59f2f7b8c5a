import Domain
import HTTP
import Platform

/// The server's metrics in the text format of Prometheus, version 0.0.4.
struct MetricsDocument {
    private(set) var text = ""

    /// - Parameters:
    ///   - routes: The names of the routes, by ``RouteID``: `none`, or a method and a pattern.
    ///   - pollLimit: The number of requests that may wait on `/push`.
    ///   - snapshotAge: The seconds since the state was last known to be current; 0 while it is.
    ///   - reports: The counters of received reports.
    ///   - knownSeconds: The seconds for which the id of a report is known; `nil` before the first report.
    ///   - spool: The content of the spool of reports; `nil` without one.
    ///   - webhooks: The number of attempts to deliver to webhooks, by outcome.
    ///   - blobs: The figures of a store of blobs in a bucket; `nil` for a local one.
    ///   - nodes: The services beside other nodes; `nil` if there is one server.
    init(
        _ traffic: Traffic, routes: [String], pollLimit: Int, devices: DevicesSeen.Figures, snapshotAge: Int64,
        reports: ReportCounters.Figures, knownSeconds: Int64?, spool: ReportSpoolFigures?,
        webhooks: [WebhookOutcome.Kind: Int64], blobs: BlobStoreFigures?, nodes: NodeServices?
    ) {
        family("larder_http_requests_total", "counter", "Responses by method, route and status.")
        for (labels, route) in Self.labelled(routes, traffic) {
            for response in route.responses.sorted(by: { $0.status < $1.status }) {
                sample("larder_http_requests_total", labels + [("status", "\(response.status)")], "\(response.count)")
            }
        }
        family(
            "larder_http_response_bytes_total", "counter", "Bytes of heads and bodies of responses by method and route."
        )
        for (labels, route) in Self.labelled(routes, traffic) {
            sample("larder_http_response_bytes_total", labels, "\(route.bytes)")
        }
        family(
            "larder_http_request_duration_seconds", "histogram",
            "Time from the head of a request to the end of its response.")
        for (labels, route) in Self.labelled(routes, traffic) {
            histogram("larder_http_request_duration_seconds", labels, route.durations)
        }
        family(
            "larder_loop_turn_seconds", "histogram",
            "Iterations of the event loops; work on a loop waits for an iteration.")
        histogram("larder_loop_turn_seconds", [], traffic.iterations)
        family(
            "larder_webhook_deliveries_total", "counter", "Attempts of this server to deliver to webhooks, by outcome.")
        for kind in WebhookOutcome.Kind.allCases {
            sample("larder_webhook_deliveries_total", [("outcome", kind.rawValue)], "\(webhooks[kind] ?? 0)")
        }
        family(
            "larder_reports_total", "counter",
            "Reports by outcome, for the packages with the most reports; all others together have no app.")
        for (key, numbers) in reports.tally.packages.sorted(by: { $0.key < $1.key }) {
            outcomes(numbers, [("app", key.app.text), ("package", key.package.text)])
        }
        outcomes(reports.tally.others, [("app", ""), ("package", ReportTotal.other)])
        for (name, kind, help, value) in Self.figures(of: traffic) + Self.figures(of: devices)
            + [
                (
                    "larder_snapshot_age_seconds", "gauge",
                    "Seconds since the state in memory was known to be current; 0 while the database responds.",
                    "\(snapshotAge)"
                ),
                (
                    "larder_long_polls_limit", "gauge", "Requests that may wait in /push, and event streams on it.",
                    "\(pollLimit)"
                ),
                (
                    "larder_bare_reports_total", "counter", "Requests to /report without a report.",
                    "\(reports.bare)"
                ),
            ] + (knownSeconds.map(Self.figures) ?? []) + (spool.map(Self.figures) ?? [])
            + (blobs.map(Self.figures) ?? []) + (nodes.map(Self.figures) ?? [])
        {
            family(name, kind, help)
            sample(name, [], value)
        }
    }

    private static func figures(of traffic: Traffic) -> [(String, String, String, String)] {
        [
            ("larder_connections", "gauge", "Open connections.", "\(traffic.connections)"),
            ("larder_long_polls_waiting", "gauge", "Requests that wait in /push.", "\(traffic.waiting)"),
            ("larder_connections_accepted_total", "counter", "Connections accepted.", "\(traffic.accepted)"),
            (
                "larder_connections_refused_total", "counter",
                "Connections closed at once because of too many from one address.", "\(traffic.refused)"
            ),
            (
                "larder_connections_evicted_total", "counter",
                "Idle connections closed to make room for others.", "\(traffic.evicted)"
            ),
            ("larder_tls_handshakes_total", "counter", "TLS handshakes completed.", "\(traffic.handshakes)"),
            (
                "larder_tls_resumptions_total", "counter", "TLS handshakes that resumed a session.",
                "\(traffic.resumptions)"
            ),
            (
                "larder_tls_kernel_sessions_total", "counter",
                "TLS handshakes after which the kernel encrypts.", "\(traffic.kernelSeals)"
            ),
            ("larder_tls_failures_total", "counter", "TLS handshakes that failed.", "\(traffic.failedHandshakes)"),
            (
                "larder_access_log_dropped_total", "counter",
                "Lines of the access log dropped because the queue was full.",
                "\(traffic.droppedLines)"
            ),
        ]
    }

    private static func figures(of devices: DevicesSeen.Figures) -> [(String, String, String, String)] {
        [
            ("larder_devices_seen", "gauge", "Recorded devices.", "\(devices.devices)"),
            (
                "larder_devices_seen_dropped_total", "counter",
                "Requests whose device should have been recorded and was not.",
                "\(devices.dropped)"
            ),
        ]
    }

    private static func figures(ofKnown seconds: Int64) -> [(String, String, String, String)] {
        [
            (
                "larder_report_ids_known_seconds", "gauge",
                "Seconds for which the server knows the id of a report, so that a repeated one counts once.",
                "\(seconds)"
            )
        ]
    }

    private static func figures(of spool: ReportSpoolFigures) -> [(String, String, String, String)] {
        [
            ("larder_reports_spooled", "gauge", "Reports that wait for the database.", "\(spool.reports)"),
            ("larder_report_spool_bytes", "gauge", "Bytes in the spool of reports.", "\(spool.bytes)"),
        ]
    }

    private static func figures(of blobs: BlobStoreFigures) -> [(String, String, String, String)] {
        [
            ("larder_cache_hits_total", "counter", "Blobs opened in the cache.", "\(blobs.hits)"),
            ("larder_cache_misses_total", "counter", "Blobs that were not in the cache.", "\(blobs.misses)"),
            ("larder_cache_fills_total", "counter", "Blobs fetched into the cache.", "\(blobs.fills)"),
            ("larder_cache_evictions_total", "counter", "Blobs evicted from the cache.", "\(blobs.evictions)"),
            ("larder_cache_bytes", "gauge", "Bytes of the cached blobs.", "\(blobs.cachedBytes)"),
            ("larder_cache_files", "gauge", "Cached blobs.", "\(blobs.cachedFiles)"),
            ("larder_bucket_requests_total", "counter", "Requests to the bucket.", "\(blobs.requests)"),
            ("larder_bucket_failures_total", "counter", "Requests to the bucket that failed.", "\(blobs.failures)"),
        ]
    }

    private static func figures(of nodes: NodeServices) -> [(String, String, String, String)] {
        [
            (
                "larder_node_connected", "gauge", "Whether changes of other nodes arrive.",
                nodes.follower.isConnected ? "1" : "0"
            ),
            (
                "larder_node_lease_held", "gauge", "Whether this node does the background work of all nodes.",
                nodes.lease.isHeld ? "1" : "0"
            ),
        ]
    }

    /// Returns the routes that have served requests, with their labels.
    private static func labelled(
        _ names: [String], _ traffic: Traffic
    ) -> [(labels: [(String, String)], route: Traffic.Route)] {
        zip(names, traffic.routes).filter { !$1.responses.isEmpty }.map { name, route in
            let parts = name.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { return ([("method", ""), ("route", name)], route) }
            return ([("method", String(parts[0])), ("route", String(parts[1]))], route)
        }
    }

    private mutating func family(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
        let inside = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
        text += inside.isEmpty ? "\(name) \(value)\n" : "\(name){\(inside)} \(value)\n"
    }

    /// Adds a sample for each outcome, so that rates are right from the first report on.
    private mutating func outcomes(_ numbers: ReportTally.Numbers, _ labels: [(String, String)]) {
        for outcome in ReportTally.Outcome.allCases {
            sample("larder_reports_total", labels + [("outcome", outcome.rawValue)], "\(numbers[outcome] ?? 0)")
        }
    }

    private mutating func histogram(_ name: String, _ labels: [(String, String)], _ durations: DurationHistogram) {
        var total: UInt64 = 0
        for (bound, count) in zip(DurationHistogram.bounds, durations.counts) {
            total += count
            sample("\(name)_bucket", labels + [("le", Self.seconds(bound))], "\(total)")
        }
        sample("\(name)_bucket", labels + [("le", "+Inf")], "\(durations.count)")
        sample("\(name)_sum", labels, Self.seconds(durations.total))
        sample("\(name)_count", labels, "\(durations.count)")
    }

    /// Converts nanoseconds to seconds, exact to the microsecond.
    private static func seconds(_ nanoseconds: Int64) -> String {
        let microseconds = nanoseconds / 1_000
        let fraction = String(microseconds % 1_000_000)
        let padded = String(repeating: "0", count: 6 - fraction.count) + fraction
        let trimmed = padded.reversed().drop { $0 == "0" }.reversed()
        return trimmed.isEmpty ? "\(microseconds / 1_000_000)" : "\(microseconds / 1_000_000)." + String(trimmed)
    }
}
