import Foundation
import TestKit
import Testing

extension Server {
    /// Starts a server whose data is on a private disk of ten megabytes.
    static func onSmallDisk(
        options: [String] = [], environment: [String: String] = [:]
    ) throws -> Server {
        try FileManager.default.createDirectory(atPath: defaultData, withIntermediateDirectories: true)
        return try Server(
            tokenFile: "\(ScratchDirectory.path)/token", options: options, environment: environment,
            wrapper: [
                "unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=10m larder \"$0\" && exec \"$@\"", defaultData,
            ])
    }

    /// Runs a command in the server's mount namespace.
    func besides(_ command: String...) throws {
        try Program.succeed(["nsenter", "-t", "\(program.pid)", "-m"] + command)
    }

    private static var filler: String { "\(defaultData)/filler" }

    /// Fills the disk completely, again if some of it was freed.
    func fillDisk() throws {
        try besides("sh", "-c", "cat /dev/zero >> \"$0\" 2>/dev/null || true", Self.filler)
    }

    func emptyDisk() throws { try besides("rm", Self.filler) }

    func expectFull(_ response: RawClient.Response) {
        #expect(response.status == 507)
        #expect(response.fields["content-type"] == "application/problem+json")
        #expect(response.text.contains("\"storage-full\""))
    }
}
