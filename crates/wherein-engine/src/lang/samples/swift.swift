import Foundation

/// Loads pictures for a list.
protocol PictureLoading: AnyObject {
    associatedtype Key
    var limit: Int { get }
    func load(_ url: URL) async throws -> Data
}

typealias Completion = (Result<Data, Error>) -> Void

let sharedLimit = 20
var openLoads = 0

enum LoadError: Error {
    case offline
    case status(Int)

    var text: String { "failed" }
}

struct Picture<T> {
    let url: URL
    var data: Data?
    static let empty = 1
}

/// Loader with a memory cache.
public final class PictureLoader: PictureLoading {
    typealias Key = String
    private var cache: [URL: Data] = [:]
    let limit: Int

    init(limit: Int = sharedLimit) {
        self.limit = limit
    }

    deinit { cache.removeAll() }

    /// Loads one picture.
    func load(_ url: URL) async throws -> Data {
        let local = cache[url]
        if let hit = local { return hit }
        throw LoadError.offline
    }

    subscript(url: URL) -> Data? { cache[url] }

    static func == (a: PictureLoader, b: PictureLoader) -> Bool { a === b }
}

extension PictureLoader: CustomStringConvertible {
    var description: String { "loader" }
    func clear() { cache = [:] }
}

actor Counter {
    var value = 0
}

func runAll(_ urls: [URL]) -> Int {
    var done = 0
    func step() { done += 1 }
    urls.forEach { _ in step() }
    return done
}
