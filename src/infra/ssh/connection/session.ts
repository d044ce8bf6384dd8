/** Serves one session of a connection, which runs one command. */
import { finished } from 'node:stream/promises'
import type { ServerChannel, Session } from 'ssh2'
import type { SshLimits } from '../limits.ts'
import type { SshLog, SshService } from '../types.ts'
import { type ChannelState, explanationsOf, guardWindow, outputOf, type Wire } from './channel-streams.ts'

type SessionParts<Identity> = {
  identity: Identity
  address: string
  wire: Wire
  limits: SshLimits
  run: SshService<Identity>['run']
  log: SshLog
  /** Aborts when the connection ends. */
  signal: AbortSignal
  /** Called when a command begins. */
  onBegin(): void
  /** Called when the command has ended and the exit code was sent. */
  onEnd(): void
  /**
   * Called when both sides have closed the session after its command. A session without a command, or one that the client does
   * not close, continues to count: the library holds it in memory as well.
   */
  onClosed(): void
}

/** The minimal packet size, in bytes: small packets cost as much as large ones, and a size of 0 would loop forever. */
const leastPacketBytes = 1024
const printable = /^[\x20-\x7e]{1,256}$/

type Accept = (() => ServerChannel) | undefined
type Reply = (() => void) | undefined

/** Waits until a stream has ended or failed. */
async function settled(stream: NodeJS.WritableStream): Promise<void> {
  await finished(stream).catch(() => {})
}

/** Sends the exit code, after all output. */
function hangUp(channel: ServerChannel, exitCode: number): void {
  channel.exit(exitCode)
  channel.end()
  // Discards remaining input: the channel closes only after it was read.
  channel.resume()
}

/** Serves an accepted session. Terminals, subsystems and forwarding have no listeners, so the library refuses them. */
export function serveSession<Identity>(session: Session, parts: SessionParts<Identity>): void {
  const { identity, address, wire, limits, run, log, signal, onBegin, onEnd, onClosed } = parts
  let gitProtocol: string | undefined
  let hasBegun = false

  async function runOn(channel: ServerChannel, command: string, gone: AbortSignal): Promise<void> {
    const state = channel as unknown as ChannelState
    guardWindow(channel, state, () => wire.socket.destroy())
    // Every error here ends the connection or the session anyway.
    channel.on('error', () => {})
    channel.stderr.on('error', () => {})
    let hasWritten = false
    const stdout = outputOf(channel, wire, () => {
      hasWritten = true
    })
    const stderr = explanationsOf(channel, () => hasWritten)
    const leave = () => {
      stdout.destroy()
      stderr.destroy()
    }
    stdout.on('error', () => {})
    stderr.on('error', () => {})
    gone.addEventListener('abort', leave, { once: true })
    if (gone.aborted) leave()
    const given = { identity, command, gitProtocol, address, stdin: channel, stdout, stderr, signal: gone }
    const exitCode = await run(given).catch((error) => {
      log('error', 'a command failed', { err: error })
      return 1
    })
    stderr.end()
    stdout.end()
    await Promise.all([settled(stdout), settled(stderr)])
    gone.removeEventListener('abort', leave)
    if (!gone.aborted) hangUp(channel, exitCode)
  }

  function begin(accept: Accept, reject: Reply, command: string): void {
    const { _chanInfo: state } = session as unknown as { _chanInfo: ChannelState }
    const isUsable = state.outgoing.packetSize >= leastPacketBytes && Number.isSafeInteger(state.outgoing.window)
    if (hasBegun || !accept || !isUsable || Buffer.byteLength(command) > limits.commandBytes) {
      reject?.()
      return
    }
    hasBegun = true
    const closing = new AbortController()
    const gone = AbortSignal.any([signal, closing.signal])
    let isClosed = false
    let isOver = false
    // This must be synchronous: the library then ends the command's input, and processes the client's next message, which
    // may open another session.
    session.on('close', () => {
      if (isClosed) return
      isClosed = true
      closing.abort()
      if (isOver) onClosed()
    })
    const channel = accept()
    onBegin()
    runOn(channel, command, gone)
      .catch((error) => {
        log('error', 'a session could not be ended', { err: error })
        wire.socket.destroy()
      })
      .finally(() => {
        isOver = true
        onEnd()
        if (isClosed) onClosed()
      })
  }

  session.on('env', (accept: Reply, reject: Reply, { key, val }: { key: string; val: string }) => {
    if (key !== 'GIT_PROTOCOL' || hasBegun || !printable.test(val)) return reject?.()
    gitProtocol = val
    accept?.()
  })
  session.on('exec', (accept: Accept, reject: Reply, { command }: { command: string }) =>
    begin(accept, reject, command),
  )
  session.on('shell', (accept: Accept, reject: Reply) => begin(accept, reject, ''))
}
