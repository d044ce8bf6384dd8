/** Limits, all of which have a default. */
export type SshLimits = {
  /** The only user name. The key identifies the user. */
  username: string
  /** How long authentication, and a key re-exchange, may take, in milliseconds. */
  handshakeMs: number
  /** How long an authenticated client may stay without a running command, in milliseconds. */
  idleMs: number
  /** Maximal number of rejected keys per connection. */
  attempts: number
  /** Maximal number of concurrent connections. */
  connections: number
  /** Maximal number of concurrent connections per address (per /64 network of IPv6). */
  connectionsPerAddress: number
  /** Maximal number of concurrent unauthenticated connections. */
  unknownConnections: number
  /** Maximal number of concurrent sessions per connection. */
  sessions: number
  /** Maximal length of a command, in bytes. */
  commandBytes: number
  /** Interval of keep-alive requests to a silent client, in milliseconds. */
  keepaliveMs: number
  /** Maximal number of successive unanswered keep-alive requests. */
  unansweredKeepalives: number
}

/** The default limits. */
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
