package import Domain

/// A parsed delta patch, validated as far as possible without its base (docs/formats/delta.md).
///
/// The patch is untrusted: regardless of its bytes, applying it takes bounded memory, reads only files of the base, and
/// ends with `badPackage` or with a result, whose tree hash the caller compares with ``DeltaHeader/tree``.
package struct DeltaPatch {
    package let header: DeltaHeader
    private let bytes: [UInt8]

    /// Parses the header; throws `badPackage`.
    package init(_ bytes: [UInt8]) throws(PlatformError) {
        header = try DeltaHeader(parsing: bytes)
        self.bytes = bytes
    }

    /// Creates all files of the result.
    ///
    /// Throws `badPackage` and the errors of the base and the result; some files may exist by then.
    ///
    /// - Parameters:
    ///   - baseTree: The tree hash of `base`.
    ///   - limit: The maximum size of the result in bytes.
    package func apply(
        to base: some DeltaBase, baseTree: SHA256Digest, limit: Int, making result: inout some DeltaResult
    ) throws(PlatformError) {
        guard baseTree == header.baseTree else { throw DeltaRefusal.otherBase.error }
        guard let decoder = ZstdDecoder() else {
            throw PlatformError(
                .internalError, "There is not enough memory to apply a patch.", cause: "ZSTD_createDCtx")
        }
        let manifestEnd = DeltaHeader.length + header.manifestLength
        let text = try decoder.content(
            of: bytes[DeltaHeader.length..<manifestEnd], prefix: base.listing, upTo: DeltaLimits.manifestBytes)
        let manifest = try DeltaManifest(parsing: text)
        let plan = try DeltaApplication(of: manifest, to: base.tree, limit: limit)
        for file in plan.kept { try result.copy(file, to: file.path) }
        var body = bytes[manifestEnd...]
        for (entry, path) in zip(manifest.entries, plan.paths) {
            let source = entry.source.map { base.tree.files[$0] }
            switch entry.content {
            case .copied:
                if let source { try result.copy(source, to: path) }
            case .mapped:
                try result.write(try plan.mapped(source, in: base)[...], to: path)
            case .framed(let size, let length):
                guard length <= body.count else { throw DeltaRefusal.truncated.error }
                let content = try decoder.content(
                    of: body.prefix(length), prefix: try plan.mapped(source, in: base), size: size)
                try result.write(content[...], to: path)
                body = body.dropFirst(length)
            case .common: break
            }
        }
        try makeCommon(manifest, plan, base, body, decoder, &result)
    }

    private func makeCommon(
        _ manifest: DeltaManifest, _ plan: DeltaApplication, _ base: some DeltaBase, _ frame: ArraySlice<UInt8>,
        _ decoder: borrowing ZstdDecoder, _ result: inout some DeltaResult
    ) throws(PlatformError) {
        guard manifest.hasCommon else {
            guard frame.isEmpty else { throw DeltaRefusal.truncated.error }
            return
        }
        var content = try decoder.content(of: frame, prefix: try plan.prefix(in: base), size: manifest.commonSize)[...]
        for (entry, path) in zip(manifest.entries, plan.paths) {
            guard case .common(let size) = entry.content else { continue }
            try result.write(content.prefix(size), to: path)
            content = content.dropFirst(size)
        }
    }
}

extension ZstdDecoder {
    /// Returns the frame's content; throws `badPackage` unless that has exactly `size` bytes.
    fileprivate func content(
        of frame: ArraySlice<UInt8>, prefix: [UInt8], size: Int
    ) throws(PlatformError) -> [UInt8] {
        let content: [UInt8]? = frame.withUnsafeBytes { frame in
            prefix.withUnsafeBytes { prefix in self.content(of: frame, prefix: prefix, size: size) }
        }
        guard let content else { throw DeltaRefusal.badFrame.error }
        return content
    }

    /// Returns the frame's content; throws `badPackage` unless the frame states its size and that is at most `limit`.
    fileprivate func content(
        of frame: ArraySlice<UInt8>, prefix: [UInt8], upTo limit: Int
    ) throws(PlatformError) -> [UInt8] {
        guard let size = frame.withUnsafeBytes({ Self.contentSize(of: $0) }), size <= limit else {
            throw DeltaRefusal.badFrame.error
        }
        return try content(of: frame, prefix: prefix, size: size)
    }
}
