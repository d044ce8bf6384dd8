/** One connection, from the first byte to the last. */
import type { Socket } from 'node:net'
import type { Connection, ParsedKey, Session } from 'ssh2'
import type { Place } from './admission.ts'
import { algorithmsFor } from './algorithms.ts'
import { authenticating } from './authentication.ts'
import type { Ssh2 } from './library.ts'
import type { SshLimits } from './limits.ts'
import { exchangeOpenings, withholdFirst } from './opening.ts'
import { serveSession } from './session.ts'
import type { SshServing } from './types.ts'

export type ConnectionParts<Identity> = {
  ssh2: Ssh2
  hostKeys: readonly ParsedKey[]
  serving: SshServing<Identity>
  limits: SshLimits
  place: Place
  /** Called when a command ends while none is left under way. */
  onQuiet(): void
}

/** A connection, for whoever closes the server. */
export type OpenConnection = {
  /** Whether a command is under way. */
  isBusy(): boolean
  /** Says good-bye; whoever does not hear it is cut off. */
  end(): void
  destroy(): void
}

const software = 'Fennec'
const identification = `SSH-2.0-${software}\r\n`

/** How long a client may take to take its leave, in milliseconds. */
const farewellMs = 2_000

/**
 * Serves a connection. The library is given one socket at a time, so that the limits are kept here, and nothing that it
 * throws reaches further than this connection.
 */
export function serveConnection<Identity>(socket: Socket, parts: ConnectionParts<Identity>): OpenConnection {
  const { ssh2, hostKeys, serving, limits, place, onQuiet } = parts
  const { clock, log } = serving
  const address = socket.remoteAddress ?? ''
  const gone = new AbortController()
  let known: { identity: Identity } | undefined
  let sessions = 0
  let commands = 0
  let speaker: Connection | undefined
  let deadline = clock.setTimer(() => socket.destroy(), limits.handshakeMs)

  function cutOffSoon(): void {
    deadline.cancel()
    deadline = clock.setTimer(() => socket.destroy(), farewellMs)
  }

  function end(): void {
    cutOffSoon()
    try {
      speaker?.end()
    } catch {
      // It has failed already.
    }
    if (!speaker) socket.destroy()
  }

  function rest(): void {
    deadline.cancel()
    deadline = clock.setTimer(end, limits.idleMs)
  }

  /** Before the library's own listeners: these must hear first that nobody is there any more. */
  socket.on('error', () => {})
  socket.on('end', () => {
    gone.abort()
    cutOffSoon()
  })
  socket.on('close', () => {
    deadline.cancel()
    gone.abort()
    place.leave()
  })

  function openSession(connection: Connection, accept: () => Session, reject: () => void): void {
    if (!known || sessions >= limits.sessions) {
      reject()
      return
    }
    sessions += 1
    const session = accept()
    serveSession(session, {
      identity: known.identity,
      address,
      wire: { socket, connection, clock, rekeyMs: limits.handshakeMs },
      limits,
      run: serving.run,
      log,
      signal: gone.signal,
      onBegin() {
        commands += 1
        deadline.cancel()
      },
      onEnd() {
        commands -= 1
        if (commands > 0) return
        if (!gone.signal.aborted) rest()
        onQuiet()
      },
      onClosed() {
        sessions -= 1
      },
    })
  }

  function converse(connection: Connection): void {
    speaker = connection
    connection.on('error', (error) => {
      log('debug', 'an SSH connection failed', { err: error, address })
      socket.destroy()
    })
    const onKnown = (identity: Identity) => {
      known = { identity }
      place.recognise()
      rest()
    }
    const { authenticate } = serving
    connection.on('authentication', authenticating<Identity>({ authenticate, limits, log, onKnown, end }))
    connection.on('session', (accept, reject) => openSession(connection, accept as () => Session, reject))
  }

  function begin(ciphers: readonly string[] | null): void {
    if (socket.destroyed) return
    const server = new ssh2.Server(
      {
        hostKeys: hostKeys.map((key) => ({ key })),
        algorithms: algorithmsFor(ciphers),
        ident: software,
        keepaliveInterval: limits.keepaliveMs,
        keepaliveCountMax: limits.unansweredKeepalives,
      },
      converse,
    )
    withholdFirst(socket, identification)
    server.injectSocket(socket)
  }

  exchangeOpenings(socket, identification)
    .then(begin)
    .catch((error) => {
      log('error', 'an SSH connection could not be served', { err: error })
      socket.destroy()
    })
  return { isBusy: () => commands > 0, end, destroy: () => socket.destroy() }
}
