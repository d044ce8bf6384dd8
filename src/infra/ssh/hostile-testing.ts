/** Clients that break the protocol on purpose, and commands that can be watched while they do. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Client } from 'ssh2'
import { afterEach, expect } from 'vitest'
import { ssh } from '../../testing/git/ssh.ts'
import { manualClock } from '../clock/index.ts'
import type { SshSession } from './index.ts'
import { clientOf, closed, type Named, rawConnection, startTestSsh, type TestSsh } from './testing.ts'

/** The whole protocol of a client, up to the point where a test breaks it. */
type Protocol = {
  _cipher: { encrypt(packet: Buffer): void; allocPacket(size: number): Buffer }
  _kexinit: unknown
  rekey(): void
}
export const protocolOf = (client: Client) => (client as unknown as { _protocol: Protocol })._protocol

export const socketOf = (client: Client) => (client as unknown as { _sock: Socket })._sock

/** Sends a packet of our own making, well enciphered. */
export function send(client: Client, payload: Buffer): void {
  const { _cipher: cipher } = protocolOf(client)
  const packet = cipher.allocPacket(payload.length)
  packet.set(payload, 5)
  cipher.encrypt(packet)
}

/** A number as a packet holds it. */
export function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}

/** A text in a packet, preceded by its length. */
export const text = (content: string) => Buffer.concat([uint32(content.length), Buffer.from(content, 'latin1')])

/** A client that the server lets in. */
export async function knownClient(server: TestSsh): Promise<Client> {
  const pair = await server.key(`known-${randomBytes(4).toString('hex')}`)
  const { client, ready } = clientOf(server, { privateKey: await readFile(pair.path) })
  await ready
  return client
}

/** An authenticated client that ignores errors. */
export async function recklessClient(server: TestSsh): Promise<Client> {
  const client = await knownClient(server)
  client.on('error', () => {})
  return client
}

export const gone = (client: Client) => new Promise<void>((resolve) => client.once('close', resolve))

/** The server still serves. */
export async function isWell(server: TestSsh): Promise<void> {
  const pair = await server.key(`well-${randomBytes(4).toString('hex')}`)
  expect(await ssh(server, pair, ['exit', '5'])).toMatchObject({ code: 5 })
}

/**
 * A command that writes as long as the client reads, up to 256 MiB.
 * @param begin what it waits for first
 */
export function endlessWriter(begin: Promise<void> = Promise.resolve()) {
  const block = Buffer.alloc(64 * 1024)
  const stopped = Promise.withResolvers<void>()
  let written = 0
  async function run({ stdout, signal }: SshSession<Named>): Promise<number> {
    const over = new Promise((resolve) => signal.addEventListener('abort', resolve))
    await begin
    while (!signal.aborted && written < 256 * 1024 * 1024) {
      const taken = new Promise<boolean>((resolve) => stdout.write(block, (error) => resolve(!error)))
      if (!(await Promise.race([taken, over.then(() => false)]))) break
      written += block.length
    }
    stopped.resolve()
    return 0
  }
  return { run, written: () => written, stopped: stopped.promise }
}

/** Returns a function that starts servers, which are closed after each test of the file. */
export function serversOfTests(): typeof startTestSsh {
  const open: AsyncDisposable[] = []
  afterEach(async () => {
    for (const each of open.splice(0)) await each[Symbol.asyncDispose]()
  })
  return async (options = {}) => {
    const server = await startTestSsh(options)
    open.push(server)
    return server
  }
}

/** A clock for servers whose time limits are tested. */
export const clock = () => manualClock({ start: '2026-01-01T00:00:00Z' })

/** A server with a manual clock, and an unauthenticated connection to it. */
export async function strangerOf(started: typeof startTestSsh) {
  const time = clock()
  const server = await started({ clock: time })
  const socket = await rawConnection(server)
  return { time, server, socket, over: closed(socket) }
}
