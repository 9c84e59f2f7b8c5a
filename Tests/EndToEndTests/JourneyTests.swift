import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests real packages from the build folder to devices, through six versions and back.
    @Suite struct JourneyTests {
        // A test for each package, because the cases of one test would wait until all other tests have started.
        @Test func `devices come to each version of locust from wherever they are, and go back`() throws {
            try travel(with: RealPackage.locust)
        }

        @Test func `devices come to each version of dash from wherever they are, and go back`() throws {
            try travel(with: RealPackage.dash)
        }

        @Test func `devices come to each version of jupyterlab from wherever they are, and go back`() throws {
            try travel(with: RealPackage.jupyterlab)
        }

        private func travel(with package: RealPackage) throws {
            let journey = try Journey(package)
            // The devices by the version after which they sync for the first time.
            let devices = [
                1: journey.devices("five-before"), 3: journey.devices("three-before"),
                5: journey.devices("one-before"),
            ]
            let follower = LarderDevice("every-version")
            for number in 1...6 {
                try journey.publish(number)
                try journey.follow(follower, to: number)
                for device in devices[number] ?? [] {
                    #expect(try device.sync(package.id, with: journey.server) == "full")
                    try journey.expect(device, at: number)
                }
            }

            for (number, devices) in devices {
                for device in devices {
                    let expected = number == 1 ? "full" : try journey.means(of: device, from: number)
                    #expect(try device.sync(package.id, with: journey.server) == expected)
                    try journey.expect(device, at: 6)
                }
            }
            let newcomers = journey.devices("from-nothing")
            for device in newcomers {
                #expect(try device.sync(package.id, with: journey.server) == "full")
                try journey.expect(device, at: 6)
            }

            // A rollback is a new release of an older version.
            try journey.server.release(package.versions[3], of: package.id)
            for device in devices.values.joined() + newcomers {
                let expected = try journey.means(of: device, from: 6)
                #expect(try device.sync(package.id, with: journey.server) == expected)
                try journey.expect(device, at: 4)
            }
            try journey.expectNothingNewFromPublishingAgain(6)
        }
    }
}

/// The journey of one package through its versions, which are numbered from 1.
private struct Journey {
    let package: RealPackage
    let server: Server
    private let privateKey: String

    init(_ package: RealPackage) throws {
        self.package = package
        server = try Server()
        try server.putPackage(package.id, package.settings)
        privateKey = "\(ScratchDirectory.path)/legacy.pem"
    }

    /// Returns a device of each kind.
    func devices(_ name: String) -> [any Device] {
        [LarderDevice(name), SeedDevice(name, privateKey: privateKey)]
    }

    private func folder(_ number: Int) throws -> FolderContents {
        try FolderContents(try package.folder(package.versions[number - 1]))
    }

    func publish(_ number: Int) throws {
        let version = package.versions[number - 1]
        try server.mustPublish(try folder(number).path, as: package.id, version)
        try server.release(version, of: package.id)
        // The first version creates the keys.
        if number == 1 { try server.writeLegacyKey(to: privateKey) }
        let entry = try #require(try server.config()[package.id])
        #expect(entry.version == version)
        #expect(entry.entry == (package.hasEntry ? "index.html" : nil))
        if number > 1 { try expectSmallPatch(in: entry, from: number - 1, to: number) }
    }

    /// Returns the expected update method of a device: the smallest that it supports.
    func means(of device: any Device, from number: Int) throws -> String {
        let entry = try #require(try server.config()[package.id])
        let delta = entry.patch("delta", from: package.versions[number - 1])
        return device.takesDeltas && delta != nil ? "delta" : "files"
    }

    /// Updates a device from the previous version to this one, and checks that standard tools get the same result from
    /// the delta patch.
    func follow(_ device: LarderDevice, to number: Int) throws {
        guard number > 1 else {
            #expect(try device.sync(package.id, with: server) == "full")
            return
        }
        let (base, result) = ("\(ScratchDirectory.path)/base-\(number)", "\(ScratchDirectory.path)/result-\(number)")
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(device.folder)/\(package.id)", toPath: "\(base)/\(package.id)")
        let entry = try #require(try server.config()[package.id])
        let delta = try #require(entry.patch("delta", from: package.versions[number - 2]))
        let path = try #require(URL(string: delta.url)).path
        let file = "\(ScratchDirectory.path)/patch-\(number)"
        let patch = try server.get(path)
        #expect(patch.body.count == delta.size)
        try Data(patch.body).write(to: URL(fileURLWithPath: file))
        try Program.succeed(["python3", Self.script, file, base, result])

        #expect(try device.sync(package.id, with: server) == "delta")
        try expect(device, at: number)
        #expect(try device.copy(of: package.id).differences(in: FolderContents("\(result)/\(package.id)")) == [])
    }

    /// An implementation from the description of the format.
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("EndToEnd/apply_delta.py").path

    /// Checks that a patch is small if parts stay unchanged.
    private func expectSmallPatch(in entry: ConfigEntry, from old: Int, to new: Int) throws {
        let base = package.versions[old - 1]
        let patch = try #require(entry.patch("files", from: base))
        let delta = try #require(entry.patch("delta", from: base))
        #expect(delta.size < patch.size)
        #expect(entry.incrementalPackages?[base]?.url == patch.url)
        let files = try folder(new)
        if try files.changes(since: folder(old)).count < files.files.count {
            #expect(patch.size < entry.size ?? 0, "\(base) to \(package.versions[new - 1])")
        }
    }

    /// Checks that a device's copy is the published folder with the two descriptor files.
    func expect(_ device: any Device, at number: Int) throws {
        let copy = try device.copy(of: package.id)
        let descriptors: Set = ["app.config.json", "files.json"]
        let pages = try FolderContents(copy.path, skipping: descriptors.contains)
        #expect(try folder(number).differences(in: pages) == [], "\(device.folder)")
        #expect(copy.files.isSuperset(of: descriptors))

        struct AppConfig: Decodable { let appId, version: String }
        let config = try JSONDecoder().decode(AppConfig.self, from: try copy.read("app.config.json"))
        #expect(config.appId == package.id)
        #expect(config.version == package.versions[number - 1])
        let map = try JSONDecoder().decode([String: String].self, from: try copy.read("files.json"))
        #expect(Set(map.values) == Set(copy.files.map { "/\($0)" }))
    }

    func expectNothingNewFromPublishingAgain(_ number: Int) throws {
        let version = package.versions[number - 1]
        // Compares only this entry, because patches are still being improved.
        let before = try #require(try server.config()[package.id])
        let outcome = try server.publish(try folder(number).path, as: package.id, version)
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        #expect(outcome.output.contains("published already"))
        #expect(try server.versions(of: package.id).count == 6)
        let after = try #require(try server.config()[package.id])
        #expect(after.version == before.version)
        #expect(after.sha256 == before.sha256)
    }
}
