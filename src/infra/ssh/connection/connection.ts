/** Serves one connection. */
import type { Socket } from 'node:net'
import type { Connection, ParsedKey, Session } from 'ssh2'
import type { Timer } from '../../clock/index.ts'
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

/** What a connection has come to. */
type State<Identity> = ConnectionParts<Identity> & {
  socket: Socket
  /** Of the client. */
  address: string
  /** Aborts when the client closes the connection. */
  gone: AbortController
  /** Set when the client is authenticated. */
  known?: { identity: Identity }
  sessions: number
  /** Running ones. */
  commands: number
  /** Set when the library serves the connection. */
  speaker?: Connection
  deadline: Timer
}

/**
 * Serves a connection. The library gets one socket at a time, so limits are enforced here, and an exception of the library
 * affects only this connection.
 */
export function serveConnection<Identity>(socket: Socket, parts: ConnectionParts<Identity>): OpenConnection {
  const { clock, log } = parts.serving
  const state: State<Identity> = {
    ...parts,
    ...{ socket, address: socket.remoteAddress ?? '', gone: new AbortController(), sessions: 0, commands: 0 },
    deadline: clock.setTimer(() => socket.destroy(), parts.limits.handshakeMs),
  }
  watchClient(state)
  exchangeOpenings(socket, identification)
    .then((ciphers) => begin(state, ciphers))
    .catch((error) => {
      log('error', 'an SSH connection could not be served', { err: error })
      socket.destroy()
    })
  return { isBusy: () => state.commands > 0, end: () => end(state), destroy: () => socket.destroy() }
}

/** Registered before the library's listeners, so that a disconnect is noticed first. */
function watchClient<Identity>(state: State<Identity>): void {
  const { socket, gone, slot } = state
  socket.on('error', () => {})
  socket.on('end', () => {
    gone.abort()
    cutOffSoon(state)
  })
  socket.on('close', () => {
    state.deadline.cancel()
    gone.abort()
    slot.release()
  })
}

/** Sets what happens to the connection after a time, in place of what was set before. */
function setDeadline<Identity>(state: State<Identity>, act: () => void, delayMs: number): void {
  state.deadline.cancel()
  state.deadline = state.serving.clock.setTimer(act, delayMs)
}

function cutOffSoon<Identity>(state: State<Identity>): void {
  setDeadline(state, () => state.socket.destroy(), farewellMs)
}

function end<Identity>(state: State<Identity>): void {
  cutOffSoon(state)
  try {
    state.speaker?.end()
  } catch {
    // It has failed before.
  }
  if (!state.speaker) state.socket.destroy()
}

/** Lets an authenticated client wait before its next command. */
function rest<Identity>(state: State<Identity>): void {
  setDeadline(state, () => end(state), state.limits.idleMs)
}

/** Gives the connection to the library. */
function begin<Identity>(state: State<Identity>, ciphers: readonly string[] | null): void {
  const { ssh2, socket, hostKeys, limits } = state
  if (socket.destroyed) return
  const server = new ssh2.Server(
    {
      hostKeys: hostKeys.map((key) => ({ key })),
      algorithms: algorithmsFor(ciphers),
      ident: software,
      keepaliveInterval: limits.keepaliveMs,
      keepaliveCountMax: limits.unansweredKeepalives,
    },
    (connection) => converse(state, connection),
  )
  withholdFirst(socket, identification)
  server.injectSocket(socket)
}

/** Answers the requests of the client: for authentication, then for sessions. */
function converse<Identity>(state: State<Identity>, connection: Connection): void {
  const { socket, address, slot, limits } = state
  const { authenticate, clock, log } = state.serving
  state.speaker = connection
  connection.on('handshake', () => turnKeysIntoObjects(connection))
  connection.on('error', (error) => {
    log('debug', 'an SSH connection failed', { err: error, address })
    socket.destroy()
  })
  const onKnown = (identity: Identity) => {
    state.known = { identity }
    slot.markAuthenticated()
    rest(state)
  }
  const giveUp = () => end(state)
  connection.on(
    'authentication',
    authenticating<Identity>({ authenticate, limits, clock, address, log, onKnown, end: giveUp }),
  )
  connection.on('session', (accept, reject) => openSession(state, connection, accept as () => Session, reject))
}

function openSession<Identity>(
  state: State<Identity>,
  connection: Connection,
  accept: () => Session,
  reject: () => void,
): void {
  const { known, socket, address, limits, gone } = state
  const { clock, run, log } = state.serving
  if (!known || state.sessions >= limits.sessions) {
    reject()
    return
  }
  state.sessions += 1
  serveSession(accept(), {
    identity: known.identity,
    address,
    wire: { socket, connection, clock, rekeyMs: limits.handshakeMs },
    limits,
    run,
    log,
    signal: gone.signal,
    onBegin() {
      state.commands += 1
      state.deadline.cancel()
    },
    onEnd() {
      state.commands -= 1
      if (state.commands > 0) return
      if (!gone.signal.aborted) rest(state)
      state.onQuiet()
    },
    onClosed() {
      state.sessions -= 1
    },
  })
}
