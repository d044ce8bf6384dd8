/** Clients of git that a test ends in the middle of a transfer: over HTTP and over SSH, in this process or in one of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import { deflateSync } from 'node:zlib'
import type { ClientChannel } from 'ssh2'
import { until } from '../src/infra/git/testing.ts'
import { clientOf } from '../src/infra/ssh/testing.ts'
import type { Person, SshKeyPair } from '../src/testing/index.ts'

export type Service = 'git-upload-pack' | 'git-receive-pack'

/** Where the server is, and who asks it for what. */
export type Target = {
  url: string
  ssh: { host: string; port: number }
  person: Pick<Person, 'username' | 'token'>
  key: SshKeyPair
  /** Full path of the project. */
  path: string
  service: Service
}

/** The ways in which a client ends. Not every client has each of them. */
export type Way = 'resets' | 'finishes' | 'is killed' | 'closes the channel' | 'ends its input'

export type EndingClient = {
  /** Sends a part of the request; the last one completes it. */
  send(bytes: Buffer, isLast?: boolean): Promise<void>
  /** Waits until the server has sent so many bytes, and reads no more. */
  receive(bytes: number): Promise<void>
  end(way: Way): void
  /** Ends it in any case. */
  destroy(): void
}

/** Reads until there are so many bytes, then pauses. */
async function readSome(from: Readable, bytes: number): Promise<void> {
  let received = 0
  const count = (chunk: Buffer) => {
    received += chunk.length
    if (received >= bytes) from.pause()
  }
  from.on('data', count)
  await until(() => received >= bytes)
  from.off('data', count).pause()
}

const written = (to: Writable, bytes: string | Buffer) =>
  new Promise<void>((resolve) => to.write(bytes, () => resolve()))

function headOf({ url, person, path, service }: Target): string {
  const basic = Buffer.from(`${person.username}:${person.token}`).toString('base64')
  return [
    `POST /${path}.git/${service} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: Basic ${basic}`,
    `Content-Type: application/x-${service}-request`,
    'Git-Protocol: version=2',
    'Transfer-Encoding: chunked',
    '\r\n',
  ].join('\r\n')
}

/** Sends the parts of a request as chunks. */
function inChunks(to: Writable): EndingClient['send'] {
  return async (bytes, isLast = false) => {
    await written(to, `${bytes.length.toString(16)}\r\n`)
    await written(to, bytes)
    await written(to, isLast ? '\r\n0\r\n\r\n' : '\r\n')
  }
}

async function httpClient(target: Target): Promise<EndingClient> {
  const { hostname, port } = new URL(target.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  await written(socket, headOf(target))
  return {
    send: inChunks(socket),
    receive: (bytes) => readSome(socket, bytes),
    end: (way) => endSocket(socket, way),
    destroy: () => socket.destroy(),
  }
}

function endSocket(socket: Socket, way: Way): void {
  if (way === 'resets') socket.resetAndDestroy()
  else socket.resume().end()
}

/** Passes bytes between its standard streams and a connection. */
const relay =
  'const s = require("net").connect(process.argv[2], process.argv[1]); process.stdin.pipe(s).pipe(process.stdout)'

function endProcess(child: ChildProcess): Pick<EndingClient, 'end' | 'destroy'> {
  const kill = () => void child.kill('SIGKILL')
  return { end: kill, destroy: kill }
}

async function httpProcess(target: Target): Promise<EndingClient> {
  const { hostname, port } = new URL(target.url)
  const child = spawn(process.execPath, ['-e', relay, hostname, port], { stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.on('error', () => {})
  await written(child.stdin, headOf(target))
  return { send: inChunks(child.stdin), receive: (bytes) => readSome(child.stdout, bytes), ...endProcess(child) }
}

const commandOf = ({ service, path }: Target) => `${service} '${path}'`

async function sshClient(target: Target): Promise<EndingClient> {
  const socket = connect(target.ssh.port, target.ssh.host)
  const { client, ready } = clientOf({ app: target }, { sock: socket, privateKey: await readFile(target.key.path) })
  // Not before the library has its own listener.
  socket.on('error', () => {})
  client.on('error', () => {})
  await ready
  const channel = await new Promise<ClientChannel>((resolve, reject) => {
    const env = { GIT_PROTOCOL: 'version=2' }
    client.exec(commandOf(target), { env }, (error, opened) => (error ? reject(error) : resolve(opened)))
  })
  channel.on('error', () => {})
  return {
    send: (bytes) => written(channel, bytes),
    receive: (bytes) => readSome(channel, bytes),
    end(way) {
      if (way === 'closes the channel') channel.close()
      else if (way === 'ends its input') (channel as Duplex).resume().end()
      else endSocket(socket, way)
    },
    destroy() {
      client.destroy()
      socket.destroy()
    },
  }
}

async function sshProcess(target: Target): Promise<EndingClient> {
  const { host, port } = target.ssh
  const settings = ['BatchMode=yes', 'IdentitiesOnly=yes', 'IdentityAgent=none', 'StrictHostKeyChecking=no']
  const files = ['UserKnownHostsFile=/dev/null', 'SetEnv=GIT_PROTOCOL=version=2', 'LogLevel=ERROR']
  const options = [...settings, ...files].flatMap((setting) => ['-o', setting])
  const given = ['-T', '-F', '/dev/null', '-i', target.key.path, '-p', String(port), ...options, `git@${host}`]
  const child = spawn('ssh', [...given, commandOf(target)], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => {})
  return {
    send: (bytes) => written(child.stdin, bytes),
    receive: (bytes) => readSome(child.stdout, bytes),
    ...endProcess(child),
  }
}

/** The kinds of clients, and how each can end by itself. */
export const clients = {
  'over HTTP': { open: httpClient, ways: ['resets', 'finishes'] },
  'over HTTP, in its own process,': { open: httpProcess, ways: ['is killed'] },
  'over SSH': { open: sshClient, ways: ['resets', 'finishes', 'closes the channel', 'ends its input'] },
  'over SSH, in its own process,': { open: sshProcess, ways: ['is killed'] },
} as const satisfies Record<string, { open: (target: Target) => Promise<EndingClient>; ways: readonly Way[] }>

/** A pkt-line. */
export const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`

/** A pack of one blob that cannot be compressed. */
function packOf(sizeBytes: number): Buffer {
  const length = [0x30 | 0x80 | (sizeBytes & 15), ((sizeBytes >> 4) & 127) | 128, ((sizeBytes >> 11) & 127) | 128]
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\u0001', 'latin1')
  const blob = [Buffer.from([...length, sizeBytes >> 18]), deflateSync(randomBytes(sizeBytes))]
  const body = Buffer.concat([header, ...blob])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

/**
 * A complete request, and a beginning of it that is long enough for git to be started.
 * @param tip what is fetched, and what a new branch is pushed to
 */
export function requestOf(service: Service, tip: string): { whole: Buffer; beginning: Buffer } {
  if (service === 'git-receive-pack') {
    const command = line(`${'0'.repeat(40)} ${tip} refs/heads/new\0report-status side-band-64k`)
    const whole = Buffer.concat([Buffer.from(`${command}0000`), packOf(300_000)])
    return { whole, beginning: whole.subarray(0, 200_000) }
  }
  const command = `${line('command=fetch')}0001${line(`want ${tip}\n`)}`
  const haves = Array.from({ length: 2_000 }, () => line(`have ${randomBytes(20).toString('hex')}\n`)).join('')
  return { whole: Buffer.from(`${command}${line('done\n')}0000`), beginning: Buffer.from(`${command}${haves}`) }
}
