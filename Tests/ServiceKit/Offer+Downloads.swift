package import Domain
package import Platform

/// The downloads of an offer, for expectations.
extension ChannelView.Offer {
    package var version: ReleasedVersion { downloads.version }
    package var patches: [SignedArtifact] { downloads.patches }
    package var demanded: [SignedArtifact] { downloads.demanded }
}
