import Domain

extension StoreExaminer {
    /// Recomputes every tree hash.
    func checkVersions(_ database: Database, _ examination: inout Examination) throws {
        let versions = try database.rows(
            """
            SELECT versions.number, packages.app || ' ' || packages.id || ' ' || versions.version, tree_hash
            FROM versions
            JOIN packages ON packages.number = versions.package
            LEFT JOIN prunings ON prunings.version = versions.number
            WHERE NOT \(SQL.isPruned) ORDER BY versions.number
            """
        ) { row in (number: try row[0] as Int64, name: try row[1] as String, hash: try row[2] as SHA256Digest) }
        for version in versions {
            examination.versions += 1
            let tree = Tree(try database.files(of: version.number))
            if cryptography.treeHash(of: tree) != version.hash {
                examination.add(
                    .treeDiffers, version.name, "Its files differ from the published ones. \(remedy)")
            }
            let full: Int? = try database.value(
                "SELECT 1 FROM artifacts WHERE version = \(version.number) AND base IS NULL AND layout = \(Layout.appFolder)"
            )
            if full == nil {
                examination.add(.archiveMissing, version.name, "It has no full archive. \(remedy)")
            }
        }
    }

    /// Verifies every Ed25519 signature, those by earlier keys included.
    ///
    /// Only the device's half of the key can verify a legacy signature.
    func checkSignatures(_ database: Database, _ examination: inout Examination) throws {
        var last: Int64 = 0
        while true {
            let artifacts = try database.artifacts(
                where: """
                    artifacts.number IN (SELECT number FROM artifacts WHERE number > \(last) ORDER BY number LIMIT 500)
                    """)
            guard let end = artifacts.last?.number else { return }
            for (number, artifact) in artifacts {
                examination.artifacts += 1
                try checkSignatures(of: artifact, number: number, in: database, &examination)
            }
            last = end
        }
    }

    private func checkSignatures(
        of artifact: Artifact, number: Int64, in database: Database, _ examination: inout Examination
    ) throws {
        let signatures = try database.rows(
            """
            SELECT keys.id, keys.public_key, value FROM artifact_signatures
            JOIN keys ON keys.number = artifact_signatures.key
            WHERE artifact = \(number) AND purpose = \(KeyPurpose.signing)
            """
        ) { row in (key: try row[0] as KeyID, publicKey: try row[1] as [UInt8], value: try row[2] as [UInt8]) }
        let name = "\(artifact.app) \(artifact.fileName) (\(artifact.blob))"
        if signatures.isEmpty {
            examination.add(
                .signatureMissing, name,
                "It has no signature by a signing key. Start the server, which signs archives that lack one.")
        }
        for signature in signatures {
            examination.signatures += 1
            let holds = cryptography.verifyEd25519(
                signature.value, of: artifact.signedBytes, publicKey: signature.publicKey)
            guard !holds else { continue }
            examination.add(
                .signatureWrong, name, "The signature by key \(signature.key) is wrong. \(remedy)")
        }
    }
}
