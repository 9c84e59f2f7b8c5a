/// The services of a node beside the other nodes of its installation (decision 0064).
package struct NodeServices: Sendable {
    package let follower: ChangeFollower
    package let lease: NodeLease

    package init(follower: ChangeFollower, lease: NodeLease) {
        self.follower = follower
        self.lease = lease
    }
}
