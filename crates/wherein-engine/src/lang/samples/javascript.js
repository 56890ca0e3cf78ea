'use strict'

// Job queue with at-least-once delivery.
const EventEmitter = require('events')
const LIMIT = 50
let counter = 0

/**
 * Queue of pending jobs.
 */
class JobQueue extends EventEmitter {
  #pending = new Map()
  static instance = null
  onDrain = () => {
    this.emit('drain')
  }

  constructor (name) {
    super()
    this.name = name
  }

  /** Adds a job and returns its id. */
  push (job) {
    const id = ++counter
    this.#pending.set(id, job)
    return id
  }

  get size () { return this.#pending.size }

  static async * drainAll (queues) {
    for (const q of queues) yield q.size
  }
}

const delay = (ms) => new Promise(resolve => setTimeout(resolve, ms))
export const retry = async function (fn, times) {
  let last
  for (let i = 0; i < times; i++) {
    try { return await fn() } catch (e) { last = e; await delay(10) }
  }
  throw last
}

function * ids () {
  let n = 0
  while (n < LIMIT) yield n++
}

exports.parseJob = function (text) {
  return JSON.parse(text)
}
JobQueue.prototype.clear = function clear () {}
const app = module.exports = {}
app.use = function use (fn) { return this }
app.handlers = { onError (e) { throw e }, onReady: () => true }

export default function main () { return ids() }
