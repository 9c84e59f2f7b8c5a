// Checks the sanitizer before its results count: it has to report a race of `unlocked`, and none of `locked`.
import Synchronization

final class Counter: @unchecked Sendable {
    let locked = Mutex([Int]())
    // The race that has to be reported.
    var unlocked = 0
}

let counter = Counter()
let races = CommandLine.arguments.contains("unlocked")
await withTaskGroup(of: Void.self) { group in
    for task in 0..<8 {
        group.addTask {
            for round in 0..<20_000 {
                counter.locked.withLock { numbers in
                    if numbers.count > 100 { numbers.removeAll() }
                    numbers.append(task + round)
                }
                if races { counter.unlocked += 1 }
            }
        }
    }
}
