import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, ZERO_SHA1 } from '../model/names.ts'
import type { RefChange } from '../model/types.ts'
import {
  commitFiles,
  git,
  openGate,
  openTestGit,
  openTestRunner,
  runGit,
  type TestGit,
  type TestServer,
  until,
} from '../testing.ts'
import { packet, pushRequest, rawPush, setUpPush, stateOf, untouched } from './push-testing.ts'
import { receivePack } from './receive-pack.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

describe('hostile pushes', () => {
  test('illegal names never reach the gate', async () => {
    const repository = await own.newRepository()
    const oid = await commitFiles(repository, { a: '1' })
    const asked: RefChange[] = []
    const gate = openGate({
      preReceive: async (changes) => {
        asked.push(...changes)
        return { accept: true }
      },
    })
    const names = [
      ...[
        'refs/heads/-x',
        'refs/heads/HEAD',
        'refs/heads/a..b',
        'refs/heads/a b',
        'HEAD',
        '../../etc/passwd',
        'config',
      ],
      ...['refs/heads/../../config', 'refs/heads/refs/heads/x', `refs/heads/x\n${ZERO_SHA1} ${oid} refs/heads/-y`],
    ]
    const commands = names.map((name) => `${ZERO_SHA1} ${oid} ${name}`)
    const notUtf8 = Buffer.concat([Buffer.from(`${ZERO_SHA1} ${oid} refs/heads/`), Buffer.from([0xff, 0xfe])])
    for (const command of [...commands, notUtf8]) {
      const answer = await rawPush(repository, gate, [command])
      expect(answer).toMatch(/Branch name is invalid|hook declined|funny refname/)
    }
    expect(asked).toEqual([])
    const listed = await git(['-C', repository.directory, 'for-each-ref', '--format=%(refname)'])
    expect(listed).toBe('refs/heads/main')
  })

  test('a stale old id moves no ref and is not recorded', async () => {
    const repository = await own.newRepository()
    const first = await commitFiles(repository, { a: '1' })
    const second = await commitFiles(repository, { a: '2' })
    const gate = openGate()
    const answer = await rawPush(repository, gate, [`${first} ${first} refs/heads/main`])
    expect(answer).toContain('ng refs/heads/main')
    expect(gate.accepted).toEqual([])
    expect((await repository.refs(1)).branches).toEqual([{ name: 'main', oid: second }])
  })

  test('of an accepted push, a ref that git refuses is not recorded', async () => {
    const repository = await own.newRepository()
    const first = await commitFiles(repository, { a: '1' })
    const gate = openGate()
    const commands = [`${ZERO_SHA1} ${first} refs/heads/good`, `${ZERO_SHA1} ${first} refs/heads/main/x`]
    const answer = await rawPush(repository, gate, commands)
    expect(answer).toMatch(/ok refs\/heads\/good\n.*ng refs\/heads\/main\/x/s)
    expect(gate.accepted).toEqual([{ ref: branchRef('good'), old: ZERO_SHA1, new: first }])
  })

  test('random bytes are refused', async () => {
    const repository = await own.newRepository()
    const output = new PassThrough()
    output.on('error', () => {}).resume()
    const noise = Readable.from([Buffer.from('GET / HTTP/1.1\r\n\r\n')])
    const push = repository.receivePack({ stateless: true, gate: openGate() }, noise, output)
    await expect(push).rejects.toMatchObject({ code: 'protocol_error' })
    expect(await stateOf(repository)).toEqual(untouched)
  })

  test.each([
    ['a directory named .git', '.git', 'blob', '100644', 'hasDotgit'],
    ['an alias of .git', '.GIT', 'blob', '100644', 'hasDotgit'],
    ['a path upwards', '..', 'tree', '40000', 'hasDotdot'],
    ['.gitmodules as a symbolic link', '.gitmodules', 'blob', '120000', 'gitmodulesSymlink'],
  ])('%s is refused', async (_what, name, type, mode, fault) => {
    await using set = await setUpPush(own)
    const hash = (kind: string, input: string | Buffer) =>
      git(['hash-object', '-w', '--literally', '-t', kind, '--stdin'], { cwd: set.work, input })
    const blob = await hash('blob', '../outside')
    const entry = (entryMode: string, entryName: string, oid: string) =>
      Buffer.concat([Buffer.from(`${entryMode} ${entryName}\0`), Buffer.from(oid, 'hex')])
    const inner = await hash('tree', entry('100644', 'x', blob))
    const tree = await hash('tree', entry(mode, name, type === 'tree' ? inner : blob))
    const evil = await git(['commit-tree', '-m', 'evil', tree], { cwd: set.work })
    const { exitCode, stderr } = await set.push(`${evil}:refs/heads/evil`)
    expect(exitCode).toBe(1)
    expect(stderr).toContain(fault)
    expect(await stateOf(set.repository)).toEqual(untouched)
  })

  test('old harmless faults are accepted with a warning', async () => {
    await using set = await setUpPush(own)
    const tree = await git(['write-tree'], { cwd: set.work })
    const text = `tree ${tree}\nauthor A <a@x> 1 +051800\ncommitter A <a@x> 1 +0000\n\nold\n`
    const input = Buffer.from(text)
    const old = await git(['hash-object', '-w', '--literally', '-t', 'commit', '--stdin'], { cwd: set.work, input })
    const { exitCode, stderr } = await set.push(`${old}:refs/heads/old`)
    expect(stderr).toContain('badTimezone')
    expect(exitCode).toBe(0)
  })
})

describe('a client that disconnects', () => {
  /** Starts a push by hand and cuts the connection in the middle of the pack. */
  async function cutOff(server: TestServer, head: Buffer): Promise<void> {
    const { hostname, port, pathname } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    const headers = [
      `POST ${pathname}/git-receive-pack HTTP/1.1`,
      `Host: ${hostname}`,
      'Content-Type: application/x-git-receive-pack-request',
      'Transfer-Encoding: chunked',
    ]
    socket.write(`${headers.join('\r\n')}\r\n\r\n${head.length.toString(16)}\r\n`)
    socket.write(head)
    socket.write('\r\n')
    await until(() => server.active() === 1)
    socket.destroy()
    await until(() => server.active() === 0)
  }

  test('during the pack leaves a clean repository and no process', async () => {
    await using set = await setUpPush(own)
    const command = packet(`${ZERO_SHA1} ${'a'.repeat(40)} refs/heads/main\0report-status side-band-64k`)
    const part = Buffer.from('PACK\0\0\0\u0002\0\0\0\u0005', 'latin1')
    for (let round = 0; round < 5; round += 1) {
      await cutOff(set.server, Buffer.concat([command, Buffer.from('0000'), part]))
    }
    expect(set.server.pushes).toHaveLength(5)
    for (const push of set.server.pushes) expect(push).toBeInstanceOf(Error)
    expect(await stateOf(set.repository)).toEqual(untouched)
  })

  test('while the gate decides moves no ref', async () => {
    const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>()
    const { promise: verdict, resolve: decide } = Promise.withResolvers<{ accept: true }>()
    await using set = await setUpPush(own, {
      preReceive: () => {
        wasAsked()
        return verdict
      },
    })
    const controller = new AbortController()
    const pushing = runGit(['push', 'origin', 'main'], { cwd: set.work, signal: controller.signal })
    await asked
    controller.abort()
    await pushing
    await until(() => set.server.pushes.length === 1)
    decide({ accept: true })
    expect(set.server.pushes[0]).toMatchObject({ code: 'aborted' })
    expect(await stateOf(set.repository)).toEqual(untouched)
    expect(set.gate.accepted).toEqual([])
  })

  test('after the verdict has its moved refs recorded', async () => {
    const { promise: told, resolve: wasTold } = Promise.withResolvers<void>()
    const { promise: recorded, resolve: record } = Promise.withResolvers<string[]>()
    await using set = await setUpPush(own, {
      postReceive: () => {
        wasTold()
        return recorded
      },
    })
    const controller = new AbortController()
    const pushing = runGit(['push', 'origin', 'main'], { cwd: set.work, signal: controller.signal })
    await told
    controller.abort()
    await pushing
    record([])
    await until(() => set.server.pushes.length === 1)
    expect(set.server.pushes[0]).toBeUndefined()
    expect((await set.repository.refs(1)).branches).toHaveLength(1)
  })
})

test('refs that moved before git died are recorded', async () => {
  const hooksPath = fileURLToPath(new URL('../hooks', import.meta.url))
  await using counted = await openTestRunner({}, hooksPath)
  const repository = await own.newRepository()
  const oid = await commitFiles(repository, { a: '1' })
  const accepted: RefChange[] = []
  const gate = openGate({
    postReceive: async (changes) => {
      process.kill(-counted.jobs[0]!.pid, 'SIGKILL')
      await counted.jobs[0]!.exit
      accepted.push(...changes)
      return []
    },
  })
  const input = Readable.from([
    pushRequest([`${ZERO_SHA1} ${oid} refs/heads/x`, `${ZERO_SHA1} ${oid} refs/heads/main/y`]),
  ])
  const receiver = { ...counted.contextOf(repository), hooksPath, log: () => {} }
  const output = new PassThrough().on('error', () => {})
  const push = receivePack(receiver, { stateless: true, gate }, input, output)
  await expect(push).rejects.toMatchObject({ code: 'interrupted' })
  expect(accepted).toEqual([{ ref: branchRef('x'), old: ZERO_SHA1, new: oid }])
})

test('a complete session (SSH) works like two requests', async () => {
  const repository = await own.newRepository()
  const input = new PassThrough()
  const output = new PassThrough()
  const push = repository.receivePack({ stateless: false, gate: openGate() }, input, output)
  const [advertised] = await once(output, 'data')
  expect(String(advertised)).toContain('report-status')
  input.end('0000')
  await push
})
