import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, type Oid, refName, ZERO_SHA1 } from '../model/names.ts'
import { protocolEnvironment } from '../process/transfer.ts'
import type { Repository } from '../repository.ts'
import {
  admitting,
  commitFiles,
  git,
  openGate,
  openTestGit,
  runGit,
  serve,
  type TestGit,
  type TestServer,
  until,
} from '../testing.ts'

let own: TestGit
let repository: Repository
let server: TestServer
let first: Oid
let tip: Oid
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  first = await commitFiles(repository, { a: '1', large: randomBytes(8_000_000) })
  tip = await commitFiles(repository, { a: '2' })
  server = await serve(repository, openGate())
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await own[Symbol.asyncDispose]()
})

const clone = async (...flags: string[]) => {
  const directory = await own.newDirectory()
  const { exitCode, stderr } = await runGit([...flags, server.url, join(directory, 'clone')])
  return { exitCode, stderr, directory: join(directory, 'clone') }
}

describe('a clone', () => {
  test.each(['0', '1', '2'])('in protocol version %s is complete', async (version) => {
    const { directory } = await clone('-c', `protocol.version=${version}`, 'clone', '--quiet')
    expect(await git(['rev-parse', 'HEAD'], { cwd: directory })).toBe(tip)
    await git(['fsck', '--strict'], { cwd: directory })
    const more = await commitFiles(repository, { a: version }, { branch: branchRef(`more-${version}`)!, parent: tip })
    await git(['-c', `protocol.version=${version}`, 'fetch', '--quiet'], { cwd: directory })
    expect(await git(['rev-parse', `origin/more-${version}`], { cwd: directory })).toBe(more)
  })

  test.each(['0', '2'])('may be shallow, and deepened (version %s)', async (version) => {
    const { directory } = await clone('-c', `protocol.version=${version}`, 'clone', '--quiet', '--depth=1')
    expect(await git(['rev-list', '--count', 'HEAD'], { cwd: directory })).toBe('1')
    await git(['fetch', '--quiet', '--unshallow'], { cwd: directory })
    expect(await git(['rev-list', '--count', 'HEAD'], { cwd: directory })).toBe('2')
  })

  test('may exclude blobs, and fetch them later by id', async () => {
    const { directory } = await clone('clone', '--quiet', '--bare', '--filter=blob:none')
    const count = () => git(['rev-list', '--all', '--objects', '--missing=print'], { cwd: directory })
    expect((await count()).match(/^\?/gm)?.length).toBeGreaterThan(0)
    expect(await git(['cat-file', 'blob', `${tip}:a`], { cwd: directory })).toBe('2')
  })

  test('of an empty repository has its branch', async () => {
    const empty = await own.newRepository()
    await empty.setHead(branchRef('trunk')!)
    await using emptyServer = await serve(empty, openGate())
    const directory = await own.newDirectory()
    await git(['clone', '--quiet', emptyServer.url, join(directory, 'clone')])
    expect(await git(['symbolic-ref', 'HEAD'], { cwd: join(directory, 'clone') })).toBe('refs/heads/trunk')
  })

  test('has the heads of merge requests but no hidden refs, and can fetch any commit by id', async () => {
    const hidden = refName('refs/keep-around/1')!
    const oid = await admitting(repository).createCommit({
      parent: first,
      author: { name: 'A', email: 'a@x', date: '2024-01-01T00:00:00.000Z' },
      committer: { name: 'A', email: 'a@x', date: '2024-01-01T00:00:00.000Z' },
      message: 'hidden',
      changes: [],
    })
    await repository.updateRefs([
      { ref: hidden, old: ZERO_SHA1, new: oid },
      { ref: refName('refs/merge-requests/1/head')!, old: ZERO_SHA1, new: oid },
    ])
    const listed = await git(['ls-remote', server.url])
    expect(listed).not.toContain('keep-around')
    expect(listed).toContain(`${oid}\trefs/merge-requests/1/head`)
    const { directory } = await clone('clone', '--quiet', '--bare', '--depth=1')
    await git(['fetch', '--quiet', '--depth=1', 'origin', oid], { cwd: directory })
    expect(await git(['cat-file', '-t', oid], { cwd: directory })).toBe('commit')
  })

  test('of a missing object fails', async () => {
    const { directory } = await clone('clone', '--quiet', '--bare')
    const { exitCode, stderr } = await runGit(['fetch', 'origin', 'a'.repeat(40)], { cwd: directory })
    expect(exitCode).not.toBe(0)
    expect(stderr).toMatch(/not our ref|upload-pack/)
  })
})

/** The request for a complete clone in protocol version 2. */
function fetchRequest(oid: Oid): Buffer {
  const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
  return Buffer.from(`${packet('command=fetch')}0001${packet(`want ${oid}\n`)}${packet('done\n')}0000`)
}

async function gitProcesses(): Promise<string[]> {
  const { readFile } = await import('node:fs/promises')
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')))
  return lines.filter((line) => line.includes('upload-pack') && line.includes(own.root))
}

describe('a slow or disconnecting client', () => {
  const options = { stateless: true, protocol: 'version=2' }

  test('blocks git, in bounded memory', async () => {
    // Reads the first chunk and never completes the write.
    const output = new Writable({ highWaterMark: 16_384, write() {} })
    const upload = repository.uploadPack(options, Readable.from([fetchRequest(tip)]), output)
    await until(() => output.writableNeedDrain)
    // Another command runs meanwhile; without backpressure all 8 MB would have been read.
    expect(await repository.commitCount()).toBe(2)
    expect(output.writableLength).toBeLessThan(500_000)
    output.destroy()
    await expect(upload).rejects.toMatchObject({ code: 'aborted' })
  })

  test('that disconnects ends the process and its descendants', async () => {
    const output = new PassThrough()
    const upload = repository.uploadPack(options, Readable.from([fetchRequest(tip)]), output)
    await once(output, 'data')
    output.destroy()
    await expect(upload).rejects.toMatchObject({ code: 'aborted' })
    await until(async () => (await gitProcesses()).length === 0)
  })

  test('an abort signal does the same, also before the start', async () => {
    const controller = new AbortController()
    const output = new PassThrough()
    output.on('error', () => {})
    const input = new PassThrough()
    const upload = repository.uploadPack({ ...options, signal: controller.signal }, input, output)
    input.write(fetchRequest(tip).subarray(0, 10))
    controller.abort()
    await expect(upload).rejects.toMatchObject({ code: 'aborted' })
    await until(async () => (await gitProcesses()).length === 0)
    const late = repository.uploadPack(
      { ...options, signal: AbortSignal.abort() },
      Readable.from([]),
      new PassThrough(),
    )
    await expect(late).rejects.toMatchObject({ code: 'aborted' })
  })

  test('an input that ends early ends the process', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    output.on('error', () => {}).resume()
    const upload = repository.uploadPack(options, input, output)
    input.write(fetchRequest(tip).subarray(0, 10))
    input.destroy()
    await expect(upload).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('over SSH', () => {
  test('one session advertises and serves', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const upload = repository.uploadPack({ stateless: false, protocol: 'version=2' }, input, output)
    const [greeting] = await once(output, 'data')
    expect(String(greeting)).toContain('version 2')
    const chunks: Buffer[] = []
    output.on('data', (chunk: Buffer) => chunks.push(chunk))
    input.end(fetchRequest(tip))
    const result = await upload
    expect(result.exitCode).toBe(0)
    expect(Buffer.concat(chunks).includes('PACK')).toBe(true)
    expect(Buffer.concat(chunks).length).toBeGreaterThan(8_000_000)
  })
})

describe('the protocol header', () => {
  test.each(['version=2', 'version=1', 'version=0', 'version=2:agent=x'])('%j is passed on', (header) => {
    expect(protocolEnvironment(header)).toEqual({ GIT_PROTOCOL: header })
  })

  test.each([
    ...[
      undefined,
      '',
      'version=3',
      'version=2;id',
      'version=2\nX=1',
      'x',
      'version=2:$(id)',
      `version=2:${'a'.repeat(100)}`,
    ],
    ...['version=2 ', 'VERSION=', 'version=2:'.repeat(50)],
  ])('%j is not passed on', (header) => {
    expect(protocolEnvironment(header)).toEqual({})
  })
})

describe('an advertisement', () => {
  const advertised = async (service: 'upload-pack' | 'receive-pack', protocol?: string) => {
    const output = new PassThrough()
    const text = output.toArray().then((chunks) => Buffer.concat(chunks).toString('latin1'))
    await repository.advertise({ service, protocol }, output)
    return text
  }

  test('has the service line in versions 0 and 1, and for pushes always', async () => {
    expect(await advertised('upload-pack')).toMatch(/^001e# service=git-upload-pack\n0000/)
    expect(await advertised('upload-pack', 'version=2')).toMatch(/^000eversion 2\n/)
    expect(await advertised('receive-pack', 'version=2')).toMatch(/^001f# service=git-receive-pack\n0000/)
    expect(await advertised('receive-pack')).toMatch(/ atomic .*push-options/)
  })

  test('of a missing repository fails without output', async () => {
    const removed = await own.newRepository()
    await removed.remove()
    const output = new PassThrough()
    const missing = removed.advertise({ service: 'upload-pack' }, output)
    await expect(missing).rejects.toMatchObject({ code: 'repository_missing' })
    const fetching = removed.uploadPack({ stateless: true }, Readable.from([]), output)
    await expect(fetching).rejects.toMatchObject({ code: 'repository_missing' })
    const pushing = removed.receivePack({ stateless: true, gate: openGate() }, Readable.from([]), output)
    await expect(pushing).rejects.toMatchObject({ code: 'repository_missing' })
    expect(output.destroyed).toBe(false)
    expect(output.readableLength).toBe(0)
  })
})
