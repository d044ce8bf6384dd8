/** Bounds. Every one has a default. */
export type SshLimits = {
  /** The one user name there is; who somebody is, the key tells. */
  username: string
  /** How long a client may take from connecting to being known, and to exchange keys anew, in milliseconds. */
  handshakeMs: number
  /** How long a known client may stay without a command under way, in milliseconds. */
  idleMs: number
  /** Keys that a client may try in vain on one connection. */
  attempts: number
  /** Connections at the same time, all together. */
  connections: number
  /** Connections at the same time from one address (from one /64 network of IPv6). */
  connectionsPerAddress: number
  /** Connections at the same time of clients that are not known yet. */
  unknownConnections: number
  /** Sessions at the same time on one connection. */
  sessions: number
  /** Longest command, in bytes. */
  commandBytes: number
  /** How often a silent client is asked whether it is still there, in milliseconds. */
  keepaliveMs: number
  /** How many such questions in a row may stay unanswered. */
  unansweredKeepalives: number
}

/** The bounds that hold unless told otherwise. */
export const defaultSshLimits: SshLimits = {
  username: 'git',
  handshakeMs: 30_000,
  idleMs: 600_000,
  attempts: 6,
  connections: 200,
  connectionsPerAddress: 60,
  unknownConnections: 100,
  sessions: 10,
  commandBytes: 8 * 1024,
  keepaliveMs: 60_000,
  unansweredKeepalives: 5,
}
