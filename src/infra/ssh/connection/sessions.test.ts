import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Client } from 'ssh2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SshKeyPair, ssh } from '../../../testing/git/ssh.ts'
import type { SshSession } from '../index.ts'
import { clientOf, execute, type Named, startTestSsh, type TestSsh } from '../testing.ts'

let server: TestSsh
let key: SshKeyPair
/** The handler of the next command, set by a test. */
let next: (session: SshSession<Named>) => Promise<number>

const mebibyte = 1024 * 1024

beforeAll(async () => {
  server = await startTestSsh({
    run: (session) => next(session),
    limits: { sessions: 3, commandBytes: 100 },
  })
  key = await server.key('ada')
})
afterAll(() => server[Symbol.asyncDispose]())

async function connected(): Promise<Client> {
  const { client, ready } = clientOf(server, { privateKey: await readFile(key.path) })
  await ready
  return client
}

/** Runs a command to its end, and returns its code. */
function exitCode(client: Client, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(error)
      channel.resume().on('close', resolve)
    })
  })
}

describe('a command', () => {
  test("gets the client's input and its end, and returns its exit code", async () => {
    next = async ({ stdin, stdout, command }) => {
      const hash = createHash('sha256')
      for await (const chunk of stdin) hash.update(chunk)
      stdout.write(`${command} ${hash.digest('hex')}`)
      return 3
    }
    const input = 'a line\n'.repeat(200_000)
    const expected = createHash('sha256').update(input).digest('hex')
    expect(await ssh(server, key, ['sum', 'it'], { input })).toEqual({
      code: 3,
      stdout: `sum it ${expected}`,
      stderr: '',
    })
  })

  test('may end before its input', async () => {
    next = async ({ stdout }) => {
      stdout.write('enough')
      return 0
    }
    const answer = await ssh(server, key, ['x'], { input: 'a'.repeat(8 * mebibyte) })
    expect(answer).toMatchObject({ code: 0, stdout: 'enough' })
  })

  test('writes to standard error', async () => {
    next = async ({ stderr }) => {
      stderr.write('first\n')
      stderr.write('second\n')
      return 1
    }
    expect(await ssh(server, key, ['x'])).toEqual({ code: 1, stdout: '', stderr: 'first\nsecond\n' })
  })

  test('sends all output before the exit code', async () => {
    const block = randomBytes(mebibyte)
    const hash = createHash('sha256')
    for (let index = 0; index < 40; index += 1) hash.update(block)
    next = async ({ stdout }) => {
      for (let index = 0; index < 40; index += 1) stdout.write(block)
      return 0
    }
    const client = await connected()
    const channel = await execute(client, 'much')
    const got = createHash('sha256')
    for await (const chunk of channel) got.update(chunk)
    expect(got.digest('hex')).toBe(hash.digest('hex'))
    client.end()
  })

  test('that throws is logged, and exits with 1', async () => {
    next = async () => {
      throw new Error('a defect')
    }
    expect(await ssh(server, key, ['x'])).toEqual({ code: 1, stdout: '', stderr: '' })
    expect(server.logged.splice(0)).toEqual(['error: a command failed Error: a defect'])
  })

  test('is aborted when the client disconnects', async () => {
    const gone = Promise.withResolvers<void>()
    next = ({ signal, stdout }) =>
      new Promise((resolve) => {
        stdout.write('here')
        signal.addEventListener('abort', () => {
          gone.resolve()
          resolve(0)
        })
      })
    const child = spawn('ssh', [
      '-F',
      '/dev/null',
      '-i',
      key.path,
      '-p',
      String(server.app.ssh.port),
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'UserKnownHostsFile=/dev/null',
      'git@127.0.0.1',
      'x',
    ])
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await gone.promise
  })

  test('is aborted when the client closes only the session', async () => {
    const gone = Promise.withResolvers<void>()
    next = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          gone.resolve()
          resolve(0)
        })
      })
    const client = await connected()
    const channel = await execute(client, 'x')
    channel.close()
    await gone.promise
    next = async () => 7
    expect(await exitCode(client, 'another')).toBe(7)
    client.end()
  })
})

describe('the environment', () => {
  const variable = (name: string, value: string) =>
    ssh(server, key, ['x'], { extra: ['-o', `SetEnv=${name}=${value}`] })

  test('contains only GIT_PROTOCOL', async () => {
    next = async ({ gitProtocol, stdout }) => {
      stdout.write(JSON.stringify(gitProtocol ?? null))
      return 0
    }
    expect((await variable('GIT_PROTOCOL', 'version=2')).stdout).toBe('"version=2"')
    expect((await variable('GIT_DIR', '/etc')).stdout).toBe('null')
    expect((await variable('GIT_PROTOCOL', `version=2${'x'.repeat(300)}`)).stdout).toBe('null')
    expect((await variable('GIT_PROTOCOL', '"a\u0001b"')).stdout).toBe('null')
  })
})

describe('only commands are supported:', () => {
  beforeAll(() => {
    next = async ({ stdout, command }) => {
      stdout.write(`[${command}]`)
      return 0
    }
  })

  test('a terminal is refused, and a shell is the empty command', async () => {
    expect(await ssh(server, key)).toEqual({ code: 0, stdout: '[]', stderr: '' })
    expect((await ssh(server, key, [], { extra: ['-tt'] })).stderr).toContain('PTY allocation request failed')
  })

  test.each(['sftp', 'netconf', 'anything'])('the subsystem %s is refused', async (name) => {
    const client = await connected()
    await expect(new Promise((_, reject) => client.subsys(name, (error) => reject(error)))).rejects.toThrow()
    client.end()
  })

  test('forwarding of ports and sockets is refused in both directions', async () => {
    const client = await connected()
    const attempts = [
      (done: (error?: Error) => void) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', server.app.ssh.port, done),
      (done: (error?: Error) => void) => client.forwardIn('127.0.0.1', 0, done),
      (done: (error?: Error) => void) => client.openssh_forwardOutStreamLocal('/tmp/x', done),
      (done: (error?: Error) => void) => client.openssh_forwardInStreamLocal('/tmp/x', done as never),
    ]
    for (const attempt of attempts) {
      expect(await new Promise((resolve) => attempt((error) => resolve(error)))).toBeInstanceOf(Error)
    }
    client.end()
  })

  test('agent and X11 forwarding are refused', async () => {
    const client = await connected()
    const run = (options: object) =>
      new Promise((resolve) => client.exec('x', options as never, (error) => resolve(error ?? null)))
    expect(await run({ x11: true })).toBeInstanceOf(Error)
    expect(await run({ pty: true })).toBeInstanceOf(Error)
    client.end()
  })

  test('a command has a maximal length', async () => {
    expect((await ssh(server, key, ['x'.repeat(100)])).stdout).toBe(`[${'x'.repeat(100)}]`)
    expect(await ssh(server, key, ['x'.repeat(101)])).toMatchObject({ code: 255, stdout: '' })
    expect(await ssh(server, key, ['é'.repeat(51)])).toMatchObject({ code: 255, stdout: '' })
  })
})

describe('concurrency', () => {
  test('a connection has a maximal number of sessions, which are released', async () => {
    const waiting: (() => void)[] = []
    next = () => new Promise((resolve) => waiting.push(() => resolve(0)))
    const client = await connected()
    const running = await Promise.all([execute(client, 'a'), execute(client, 'b'), execute(client, 'c')])
    await expect(execute(client, 'd')).rejects.toThrow()
    const over = running.map((channel) => once(channel.resume(), 'close'))
    for (const finish of waiting.splice(0)) finish()
    await Promise.all(over)
    next = async () => 0
    for (let index = 0; index < 10; index += 1) expect(await exitCode(client, 'again')).toBe(0)
    client.end()
  })

  test('fifty clients are served', async () => {
    next = async ({ stdin, stdout }) => {
      for await (const chunk of stdin) stdout.write(chunk)
      return 0
    }
    const clients = Array.from({ length: 50 }, (_, index) => ssh(server, key, ['x'], { input: `text ${index}` }))
    const answers = await Promise.all(clients)
    expect(answers.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 50 }, (_, index) => `text ${index}`))
  })
})

describe('backpressure', () => {
  test('a slow reader blocks the command', async () => {
    let written = 0
    const block = Buffer.alloc(64 * 1024)
    next = async ({ stdout, signal }) => {
      while (written < 200 * mebibyte && !signal.aborted) {
        const isTaken = new Promise((resolve) => stdout.write(block, resolve))
        if (signal.aborted) break
        written += block.length
        await Promise.race([isTaken, new Promise((resolve) => signal.addEventListener('abort', resolve))])
      }
      return 0
    }
    const client = await connected()
    const channel = await execute(client, 'x')
    // Two windows: the one that the client gives, and the one of its stream before anything is read.
    await expect.poll(() => written).toBeGreaterThan(mebibyte)
    const before = written
    channel.on('data', () => channel.pause())
    await expect.poll(() => written - before, { timeout: 2_000 }).toBeLessThan(16 * mebibyte)
    expect(written).toBeLessThan(32 * mebibyte)
    client.destroy()
  })

  test('a command that does not read blocks the client', async () => {
    next = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(0)))
    const client = await connected()
    const channel = await execute(client, 'x')
    let taken = 0
    const block = Buffer.alloc(64 * 1024)
    const write = () => {
      if (taken >= 64 * mebibyte) return
      channel.write(block, () => {
        taken += block.length
        write()
      })
    }
    write()
    await expect.poll(() => taken).toBeGreaterThan(mebibyte)
    const pause = taken
    await new Promise((resolve) => setImmediate(resolve))
    expect(taken).toBeLessThan(8 * mebibyte)
    expect(pause).toBeLessThan(8 * mebibyte)
    client.destroy()
  })
})
