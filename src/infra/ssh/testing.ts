/** Servers and clients for the tests of this folder. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import ssh2, { type Client, type ClientChannel, type ConnectConfig } from 'ssh2'
import { temporaryDirectory } from '../../testing/git/git.ts'
import { type SshKeyPair, sshKeyPair } from '../../testing/git/ssh.ts'
import { systemClock } from '../clock/index.ts'
import { listenForSsh, type SshListener, type SshSession } from './index.ts'
import type { SshServing } from './types.ts'

/** Whose key it is. */
export type Named = { name: string }

export type TestSsh = AsyncDisposable & {
  listener: SshListener
  /** What the helpers of `src/testing` want. */
  app: { ssh: { host: string; port: number } }
  folder: string
  /** Public keys that open something, as base64, and whom they name. */
  known: Map<string, string>
  /** Keys that were looked up. */
  asked: string[]
  /** Warnings and errors. */
  logged: string[]
  /** Makes a pair of keys that opens the server. */
  key(name: string, type?: 'ed25519' | 'ecdsa' | 'rsa', bits?: number): Promise<SshKeyPair>
}

/** Understands `whoami`, `protocol`, `echo`, `exit <code>`, and `say <text>` on standard error. */
async function obey({ identity, command, gitProtocol, stdin, stdout, stderr }: SshSession<Named>): Promise<number> {
  const [word, rest = ''] = command.split(/ (.*)/s)
  if (word === '' || word === 'whoami') stdout.write(`${identity.name}\n`)
  else if (word === 'protocol') stdout.write(`${gitProtocol}\n`)
  else if (word === 'say') stderr.write(`${rest}\n`)
  else if (word === 'exit') return Number(rest)
  else if (word === 'echo') for await (const chunk of stdin) stdout.write(chunk)
  else return 127
  return 0
}

/** A server that authenticates the keys in `known`. */
export async function startTestSsh(options: Partial<SshServing<Named>> = {}): Promise<TestSsh> {
  const folder = await temporaryDirectory()
  const listener = await listenForSsh({ host: '127.0.0.1', port: 0 })
  const known = new Map<string, string>()
  const asked: string[] = []
  const logged: string[] = []
  await listener.serve<Named>({
    hostKeyFolder: join(folder.path, 'ssh'),
    clock: systemClock,
    log: (level, message, { err }) => level !== 'debug' && logged.push(`${level}: ${message} ${err}`),
    async authenticate({ blob }) {
      asked.push(blob.toString('base64'))
      const name = known.get(blob.toString('base64'))
      return name === undefined ? null : { name }
    },
    run: obey,
    ...options,
  })
  return {
    ...{ listener, app: { ssh: listener.address }, folder: folder.path, known, asked, logged },
    async key(name, type, bits) {
      const pair = await sshKeyPair(folder.path, name, type, bits)
      known.set(pair.publicKey.split(' ')[1] ?? '', name)
      return pair
    },
    async [Symbol.asyncDispose]() {
      await listener.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** A client that a test can make do what no good one does. */
export function clientOf(
  { app }: Pick<TestSsh, 'app'>,
  config: ConnectConfig,
): { client: Client; ready: Promise<void> } {
  const client = new ssh2.Client()
  const ready = new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).on('error', reject)
    client.once('close', () => reject(new Error('closed')))
  })
  ready.catch(() => {})
  client.connect({ host: app.ssh.host, port: app.ssh.port, username: 'git', readyTimeout: 20_000, ...config })
  return { client, ready }
}

export function execute(client: Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel)))
  })
}

/** A raw connection. */
export async function rawConnection({ app }: TestSsh): Promise<Socket> {
  const socket = connect(app.ssh.port, app.ssh.host)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Resolves when the other side has closed the connection. */
export async function closed(socket: Socket): Promise<void> {
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
}

const requestIdentities = 11
const identitiesAnswer = 12
const signRequest = 13
const signResponse = 14

export function field(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes as string, 'latin1')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

/** An agent for OpenSSH, listening at `path`, with one key; the test signs. */
export async function fakeAgent(path: string, blob: Buffer, sign: (data: Buffer) => Buffer): Promise<AsyncDisposable> {
  const server = createServer((socket) => {
    let waiting = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk])
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE(0)) {
        const message = waiting.subarray(4, 4 + waiting.readUInt32BE(0))
        waiting = waiting.subarray(4 + message.length)
        socket.write(field(answer(message)))
      }
    })
  })
  function answer(message: Buffer): Buffer {
    if (message[0] === requestIdentities) {
      return Buffer.concat([Buffer.from([identitiesAnswer, 0, 0, 0, 1]), field(blob), field('key')])
    }
    if (message[0] !== signRequest) return Buffer.from([5])
    const at = 5 + message.readUInt32BE(1)
    const data = message.subarray(at + 4, at + 4 + message.readUInt32BE(at))
    return Buffer.concat([Buffer.from([signResponse]), field(sign(data))])
  }
  server.listen(path)
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
