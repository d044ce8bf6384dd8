/** The default limits. */
export const defaultSshLimits = {
  /** The only user name. The key identifies the user. */
  username: 'git',
  /** How long authentication, and a key re-exchange, may take, in milliseconds. */
  handshakeMs: 30_000,
  /** How long an authenticated client may stay without a running command, in milliseconds. */
  idleMs: 600_000,
  /** Maximal number of rejected keys per connection. */
  attempts: 6,
  /** Maximal number of concurrent connections. */
  connections: 200,
  /** Maximal number of concurrent connections per address (per /64 network of IPv6). */
  connectionsPerAddress: 60,
  /** Maximal number of concurrent unauthenticated connections. */
  unknownConnections: 100,
  /** Maximal number of concurrent sessions per connection. */
  sessions: 10,
  /** Maximal length of a command, in bytes. */
  commandBytes: 8 * 1024,
  /** Interval of keep-alive requests to a silent client, in milliseconds. */
  keepaliveMs: 60_000,
  /** Maximal number of successive unanswered keep-alive requests. */
  unansweredKeepalives: 5,
}

/** Limits, all of which have a default. */
export type SshLimits = typeof defaultSshLimits
