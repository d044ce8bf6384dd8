/** Serves one connection. */
import type { Socket } from 'node:net'
import type { Connection, ParsedKey, Session } from 'ssh2'
import { authenticating } from '../keys/authentication.ts'
import type { SshLimits } from '../limits.ts'
import type { Ssh2, SshServing } from '../types.ts'
import type { ConnectionSlot } from './admission.ts'
import { algorithmsFor } from './algorithms.ts'
import { turnKeysIntoObjects } from './cipher-keys.ts'
import { exchangeOpenings, withholdFirst } from './opening.ts'
import { serveSession } from './session.ts'

type ConnectionParts<Identity> = {
  ssh2: Ssh2
  hostKeys: readonly ParsedKey[]
  serving: SshServing<Identity>
  limits: SshLimits
  slot: ConnectionSlot
  /** Called when the last running command ends. */
  onQuiet(): void
}

/** A connection, as the listener sees it. */
export type OpenConnection = {
  /** Whether a command is running. */
  isBusy(): boolean
  /** Ends the connection; destroys it when the client does not close it in time. */
  end(): void
  destroy(): void
}

const software = 'Fennec'
const identification = `SSH-2.0-${software}\r\n`

/** How long a client may take to close the connection, in milliseconds. */
const farewellMs = 2_000

/**
 * Serves a connection. The library gets one socket at a time, so limits are enforced here, and an exception of the library
 * affects only this connection.
 */
export function serveConnection<Identity>(socket: Socket, parts: ConnectionParts<Identity>): OpenConnection {
  const { ssh2, hostKeys, serving, limits, slot, onQuiet } = parts
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
      // It has failed before.
    }
    if (!speaker) socket.destroy()
  }

  function rest(): void {
    deadline.cancel()
    deadline = clock.setTimer(end, limits.idleMs)
  }

  /** Registered before the library's listeners, so that a disconnect is noticed first. */
  socket.on('error', () => {})
  socket.on('end', () => {
    gone.abort()
    cutOffSoon()
  })
  socket.on('close', () => {
    deadline.cancel()
    gone.abort()
    slot.release()
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
    connection.on('handshake', () => turnKeysIntoObjects(connection))
    connection.on('error', (error) => {
      log('debug', 'an SSH connection failed', { err: error, address })
      socket.destroy()
    })
    const onKnown = (identity: Identity) => {
      known = { identity }
      slot.markAuthenticated()
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
