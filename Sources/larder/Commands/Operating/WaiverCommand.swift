/// The command `larder waiver`, which accepts findings of the linter.
enum WaiverCommand: Command {
    static let name = "waiver"
    static let summary = "accept findings of the linter, and list accepted ones"
    static let about = """
        A waived warning is not listed, and a waived error does not refuse an upload. CODE is that of a finding, such as
        source-map (docs/lint.md).
        """

    private static let columns = [
        Column("code", "code", .whole), Column("path", "path"), Column("reason", "reason"), Column("by", "by"),
        Column("since", "at", .time),
    ]
    private static let path = Field(
        "--path", "PATH", "the file with the finding (default: every file)", isInQuery: true)

    static var verbs: [Verb] {
        [
            .request(
                "list", "show the waivers of a package", "GET /apps/{app}/packages/{package}/waivers",
                [.filter("--code", "CODE", "only those of this finding"), .sort("code", "at")],
                .table("waivers", columns)),
            .request(
                "show", "show the waiver of a finding", "GET /apps/{app}/packages/{package}/waivers/{code}", [path],
                .details),
            .request(
                "set", "accept a finding", "PUT /apps/{app}/packages/{package}/waivers/{code}",
                [Field("--reason", "TEXT", "why it is accepted", isRequired: true), path],
                .line("waived {code}", dryRun: "would waive {code}")),
            .request(
                "delete", "accept a finding no longer", "DELETE /apps/{app}/packages/{package}/waivers/{code}", [path],
                .line("deleted the waiver of {code}", dryRun: "would delete the waiver of {code}"), isRisky: true),
        ]
    }
}
