/** Connections of git to servers elsewhere over SSH, which are made by this process. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client, ClientChannel, ConnectConfig } from 'ssh2'
import { algorithmsOfClient } from '../connection/algorithms.ts'
import type { Ssh2 } from '../types.ts'

/** A server, how it is known, and what signs in there. */
export type SshRemote = {
  /** Checked and literal: no name is looked up. */
  address: string
  port: number
  username: string
  /** As OpenSSH writes it. */
  privateKey?: string
  password?: string
  /** The key that the server must have, as in a `.pub` file's second field; null accepts any. */
  hostKey: string | null
}

/** Why there was no connection. */
export type SshFailure = 'unreachable' | 'host_key' | 'authentication'

type SshTunnel = AsyncDisposable & {
  /** The command for git that takes the place of `ssh`. */
  command: string
  /** The key of the server after a connection on which the caller was signed in. */
  hostKey(): string | null
  /** Why the last connection failed; null when it did not. */
  failure(): SshFailure | null
  /** What commands there have written on standard error, up to a bound. */
  said(): string
}

const readyMs = 30_000
const keepaliveMs = 60_000
const longestCommandBytes = 4_096
const longestSaid = 4_096

type State = { hostKey: string | null; failure: SshFailure | null; said: string }

/** Connects and signs in. Records in the state which key the server has, or why there is no connection. */
function signIn({ Client }: Ssh2, remote: SshRemote, state: State): Promise<Client> {
  const client = new Client()
  const { address: host, port, username, privateKey, password, hostKey } = remote
  let shown: string | null = null
  let isOther = false
  const hostVerifier = (key: Buffer) => {
    shown = key.toString('base64')
    isOther = hostKey !== null && hostKey !== shown
    return !isOther
  }
  const config: ConnectConfig = {
    ...{ host, port, username, privateKey, password, hostVerifier, readyTimeout: readyMs },
    ...{ keepaliveInterval: keepaliveMs, algorithms: algorithmsOfClient(hostKey) },
  }
  return new Promise((resolve, reject) => {
    client.once('ready', () => {
      state.hostKey = shown
      state.failure = null
      resolve(client)
    })
    client.on('error', (error: Error & { level?: string }) => {
      const isRefused = error.level === 'client-authentication'
      state.failure = isOther ? 'host_key' : isRefused ? 'authentication' : 'unreachable'
      reject(error)
    })
    client.once('close', () => reject(new Error('the connection was closed')))
    client.connect(config)
  })
}

const execute = (client: Client, command: string) =>
  new Promise<ClientChannel>((resolve, reject) => {
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel)))
  })

/** Reads the command, which is the first line. @returns null without one */
async function commandOf(socket: Socket): Promise<string | null> {
  let read = Buffer.alloc(0)
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    read = Buffer.concat([read, chunk])
    const end = read.indexOf('\n')
    if (end > longestCommandBytes || (end < 0 && read.length > longestCommandBytes)) return null
    if (end >= 0) {
      socket.unshift(read.subarray(end + 1))
      return read.subarray(0, end).toString()
    }
  }
  return null
}

/** Resolves when more can be written, or never will be. */
async function drained(socket: Socket): Promise<void> {
  if (socket.destroyed || !socket.writableNeedDrain) return
  await new Promise<void>((resolve) => {
    const end = () => {
      socket.off('drain', end).off('close', end)
      resolve()
    }
    socket.on('drain', end).on('close', end)
  })
}

/** Runs the command of a relay on the other server. */
async function serveRelay(socket: Socket, remote: SshRemote, state: State): Promise<void> {
  const command = await commandOf(socket)
  if (command === null) return void socket.destroy()
  const { default: ssh2 } = await import('ssh2')
  const client = await signIn(ssh2, remote, state)
  try {
    const channel = await execute(client, command)
    channel.stderr.on('data', (chunk) => {
      state.said = `${state.said}${chunk}`.slice(0, longestSaid)
    })
    channel.on('error', () => {})
    socket.once('close', () => channel.close()).pipe(channel)
    for await (const chunk of channel) {
      if (socket.destroyed) break
      socket.write(chunk)
      await drained(socket)
    }
    socket.end()
  } finally {
    client.end()
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Beside this file, in the sources and in the build. */
function relayProgram(): string {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  return fileURLToPath(new URL(`./relay-program${extension}`, import.meta.url))
}

/** Opens a way to a server for git commands, until it is disposed of. */
export async function openSshTunnel(remote: SshRemote): Promise<SshTunnel> {
  const folder = await mkdtemp(join(tmpdir(), 'fennec-ssh-'))
  const path = join(folder, 'relay')
  const state: State = { hostKey: null, failure: null, said: '' }
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    void serveRelay(socket, remote, state).catch(() => socket.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve)
  })
  return {
    command: [process.execPath, relayProgram(), path].map(quoted).join(' '),
    hostKey: () => state.hostKey,
    failure: () => state.failure,
    said: () => state.said,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      await rm(folder, { recursive: true, force: true })
    },
  }
}
