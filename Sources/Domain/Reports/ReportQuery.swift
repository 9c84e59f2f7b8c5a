package import Ground

/// The reports of a package or an app that statistics are about, and their grouping.
package struct ReportQuery: Sendable, Equatable {
    /// A property by which reports are filtered and grouped.
    package enum Dimension: String, Sendable, CaseIterable {
        case package
        case version
        case event
        case release
        case reason
        case platform
        case appVersion

        /// The properties by which reports about one package differ.
        package static let ofPackage = allCases.filter { $0 != .package }
    }

    /// The length of time of a row.
    package enum Bucket: String, Sendable, CaseIterable {
        case hour
        case day
        case all
    }

    /// The milliseconds of a query without a beginning.
    package static let defaultLength: Int64 = 30 * 86_400_000

    /// The beginning, rounded down to an hour; to a day if the bucket is a day or only days are kept of that time.
    package let from: Timestamp
    /// The end, which is excluded, rounded up likewise.
    package let to: Timestamp
    package let bucket: Bucket
    package let filters: [Dimension: String]
    package let groups: [Dimension]

    /// - Parameters:
    ///   - from: The beginning; `nil` for ``defaultLength`` before the end or, if that is later, before `now`.
    ///   - to: The end; `nil` for the present hour or day and the one after it, since clocks of devices may be ahead.
    package init(
        from: Timestamp?, to: Timestamp?, bucket: Bucket, filters: [Dimension: String], groups: [Dimension],
        at now: Timestamp
    ) {
        let firstHour = ReportTotal.firstHour(at: now)
        // An omitted time of `all` is a day's, so that summaries of days suffice.
        func span(at time: Timestamp?) -> ReportTotal.Span {
            switch bucket {
            case .day: .day
            case .hour: time.map { $0 < firstHour } ?? false ? .day : .hour
            case .all: time.map { $0 < firstHour } ?? true ? .day : .hour
            }
        }
        let endSpan = span(at: to)
        let length = endSpan.milliseconds ?? 1
        let end =
            to.map { endSpan.start(of: $0.adding(milliseconds: length - 1)) }
            ?? endSpan.start(of: now.adding(milliseconds: 2 * length))
        let start = from ?? min(end, now).adding(milliseconds: -Self.defaultLength)
        self.to = end
        self.from = span(at: from ?? (bucket == .hour ? start : nil)).start(of: start)
        self.bucket = bucket
        self.filters = filters
        self.groups = groups
    }

    /// Whether a span that begins at `start` shares time with the query.
    package func overlaps(_ span: ReportTotal.Span, from start: Timestamp) -> Bool {
        guard let milliseconds = span.milliseconds else { return false }
        return start < to && start.adding(milliseconds: milliseconds) > from
    }

    /// The totals of a span that start in a time.
    package struct Part: Sendable, Equatable {
        package let span: ReportTotal.Span
        package let from: Timestamp
        /// The end, which is excluded.
        package let to: Timestamp
    }

    /// The totals that make up the reports of the query: summaries of days if they distinguish enough.
    package var parts: [Part] {
        let dimensions = Set(filters.keys).union(groups)
        guard bucket != .hour, dimensions.isSubset(of: [.package, .version, .event, .reason]) else {
            return detailed(from, to)
        }
        let day = ReportTotal.Span.day
        let firstDay = day.start(of: from.adding(milliseconds: 86_400_000 - 1))
        let lastDay = day.start(of: to)
        guard firstDay < lastDay else { return detailed(from, to) }
        return [Part(span: .daySummary, from: firstDay, to: lastDay)] + detailed(from, firstDay)
            + detailed(lastDay, to)
    }

    private func detailed(_ from: Timestamp, _ to: Timestamp) -> [Part] {
        from < to ? [Part(span: .day, from: from, to: to), Part(span: .hour, from: from, to: to)] : []
    }
}
