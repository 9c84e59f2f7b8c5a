import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the commands of docs/verify.md as a reader would run them.
    @Suite struct VerifyTests {
        @Test func `the commands of the page verify the offered version`() throws {
            let server = try offering()
            let outcome = try VerifyPage.run(against: server)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count { $0.hasSuffix("Verified Successfully") } == 3)
            #expect(lines.contains { $0.hasPrefix("config.json is what default/production offers, as of version ") })
            #expect(lines.last?.hasPrefix("archive.zip is news 1, signed by key ") == true)
        }

        @Test func `the commands fail if a document, archive or response differs from the signed one`() throws {
            let server = try offering()
            for (file, change) in [
                ("document.json", "printf ' ' >> document.json"), ("archive.zip", "printf x >> archive.zip"),
                ("offer.json", "sed -i s/app-folder/flat/ offer.json"),
            ] {
                let outcome = try VerifyPage.run(against: server, inserting: change, afterMaking: file)
                #expect(outcome.status != 0 && !outcome.output.contains("archive.zip is news"), "\(change)")
            }
            for change in [
                "printf ' ' >> config.json", "sed -i 's,default/production,default/beta,' headers",
                "sed -i 's/^Larder-Config-Version: /&9/' headers", "sed -i '/^Signature/d' headers",
            ] {
                let outcome = try VerifyPage.run(against: server, inserting: change, afterMaking: "config.json")
                #expect(outcome.status != 0 && !outcome.output.contains("signed by key"), "\(change)")
            }
            let other = String(repeating: "0", count: 64)
            let outcome = try VerifyPage.run(against: server, root: other)
            #expect(outcome.status != 0 && !outcome.output.contains("Verified"))
        }

        @Test func `permissions are verified as well, and added ones fail`() throws {
            let server = try offering()
            try server.putPackage(
                "news", #"{"permissions": {"apis": ["share", "camera"], "origins": ["https://api.example"]}}"#)
            let outcome = try VerifyPage.run(against: server)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count { $0.hasSuffix("Verified Successfully") } == 4)
            #expect(lines.last?.hasPrefix("its pages may use what is in permissions.json, signed by key ") == true)
            let added = try VerifyPage.run(
                against: server,
                inserting: #"jq '.permissions.apis += ["pay"]' offer.json > new; mv new offer.json"#,
                afterMaking: "offer.json")
            #expect(added.status != 0 && !added.output.contains("its pages may use"))
        }

        @Test func `expired keys, and those of another kind, verify no signature`() throws {
            let server = try offering()
            for (change, isGood) in [
                (#".validUntil = "2999-01-01T00:00:00Z""#, true), (".validUntil = null", true),
                (#".validUntil = "2026-01-01T00:00:00Z""#, false), (#".validFrom = "2999-01-01T00:00:00Z""#, false),
                (#".algorithm = "rsa""#, false), (#".purpose = "others""#, false),
            ] {
                // The document has been verified by then.
                let outcome = try VerifyPage.run(
                    against: server, inserting: "jq '.keys[] |= (\(change))' document.json > new; mv new document.json",
                    afterMaking: "offer.json")
                #expect((outcome.status == 0) == isGood, "\(change): \(outcome.output)\(outcome.errorOutput)")
                #expect(outcome.output.contains("archive.zip is news 1, signed by key") == isGood)
            }
        }

        /// Starts a server that offers version 1 of `news`.
        private func offering() throws -> Server {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(SamplePackage.folder("page"), as: "news", "1")
            try server.release("1", of: "news")
            return server
        }
    }
}
