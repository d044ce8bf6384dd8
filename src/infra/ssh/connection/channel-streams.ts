/** The streams of a command, with backpressure from the client's window and from the connection itself. */
import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { Connection, ServerChannel } from 'ssh2'
import type { Clock } from '../../clock/index.ts'
import { chunkPassed } from '../../memory/index.ts'
import { handled } from '../../streams/index.ts'

/** Fields of a channel that are missing in the library's types. */
export type ChannelState = {
  incoming: { window: number }
  outgoing: { window: number; packetSize: number; state: string }
}

/** The state that all commands of a connection share. */
export type Wire = {
  socket: Socket
  connection: Connection
  clock: Clock
  /** How long a key re-exchange may take, in milliseconds. */
  rekeyMs: number
}

/** Waits for one event of an emitter, or for the end of the connection, whichever comes first. */
function awaiting(wire: Wire, emitter: EventEmitter, event: string, done: () => void): void {
  const finish = () => {
    emitter.off(event, finish)
    wire.socket.off('close', finish)
    done()
  }
  emitter.on(event, finish)
  wire.socket.on('close', finish)
}

/**
 * Calls back when data that was passed to the library has been sent, except for what fits in the socket's buffer. The library
 * accepts all data at once and buffers it, in memory during a key exchange, otherwise in the socket.
 * @param sentBefore `socket.bytesWritten` before `count` bytes were handed over
 */
function whenSent(wire: Wire, sentBefore: number, count: number, done: () => void): void {
  const { socket, connection, clock, rekeyMs } = wire
  if (socket.destroyed) done()
  else if (socket.bytesWritten - sentBefore < count) {
    const tooLong = clock.setTimer(() => socket.destroy(), rekeyMs)
    awaiting(wire, connection, 'rekey', () => {
      tooLong.cancel()
      done()
    })
  } else if (socket.writableNeedDrain) awaiting(wire, socket, 'drain', done)
  else done()
}

const highWaterMark = 256 * 1024

/** The standard output of a command. Ending it sends nothing. */
export function outputOf(channel: ServerChannel, wire: Wire, onWrite: () => void): Writable {
  const { socket } = wire
  return handled(
    new Writable({
      highWaterMark,
      write(chunk: Buffer, _encoding, done) {
        onWrite()
        // The library makes a packet of it, and another one that is encrypted.
        chunkPassed(2 * chunk.length)
        const sentBefore = socket.bytesWritten
        // Each packet is written in three pieces.
        socket.cork()
        channel.write(chunk, () => whenSent(wire, sentBefore, chunk.length, done))
        socket.uncork()
      },
    }),
  )
}

/**
 * The standard error of a command. Only before the first output: after the client's window has been full, the library might
 * send a piece of the output twice.
 */
export function explanationsOf(channel: ServerChannel, hasWritten: () => boolean): Writable {
  return handled(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (hasWritten()) done()
        else channel.stderr.write(chunk, () => done())
      },
    }),
  )
}

/** Ends the connection of a client that exceeds its window, which would fill the memory. */
export function guardWindow(channel: ServerChannel, state: ChannelState, onViolation: () => void): void {
  const push = channel.push.bind(channel)
  channel.push = (chunk: unknown) => {
    if (state.incoming.window >= 0) return push(chunk)
    onViolation()
    return false
  }
}
