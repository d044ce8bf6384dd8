import { execFile } from 'node:child_process'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Oid, treePath } from '../model/names.ts'
import type { ArchiveFormat, ArchiveOptions } from '../model/reading-types.ts'
import type { Repository } from '../repository.ts'
import {
  ada,
  admitting,
  commitFiles,
  endsEarly,
  main,
  openTestGit,
  openTestRunner,
  type TestGit,
  until,
} from '../testing.ts'
import { archive } from './archive.ts'

let own: TestGit
let repository: Repository
let commit: Oid
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  commit = await commitFiles(repository, {
    README: 'read me\n',
    'd/e/f': 'f',
    'd/g': 'g',
    '-lead': '-',
    ':(glob)*': 'odd',
    'ü "\n': 'name',
    'x/*/y': 'star',
  })
})
afterAll(() => own[Symbol.asyncDispose]())

const run = promisify(execFile)
const path = (text: string) => treePath(text)!
const TOP = 'project-main-1'

async function bytes(options: Partial<ArchiveOptions> = {}, oid = commit, from = repository): Promise<Buffer> {
  return buffer(await from.archive(oid, { format: 'tar', prefix: TOP, ...options }))
}

async function unpacked(content: Buffer, format: ArchiveFormat): Promise<Buffer> {
  if (format === 'tar.gz') return gunzipSync(content)
  if (format !== 'tar.bz2') return content
  const file = join(await own.newDirectory(), 'archive.bz2')
  await writeFile(file, content)
  return (await run('bzip2', ['-dc', file], { encoding: 'buffer' })).stdout
}

/** The files of a tar, without the top directory. */
async function listing(content: Buffer, format: ArchiveFormat = 'tar'): Promise<string[]> {
  const tar = await unpacked(content, format)
  const names: string[] = []
  for (let offset = 0; tar[offset] !== 0; ) {
    const text = (start: number, end: number) =>
      tar.toString('utf8', offset + start, offset + end).replace(/\0.*$/s, '')
    const name = text(0, 100)
    if ('02'.includes(text(156, 157))) {
      names.push(name.startsWith(`${TOP}/`) ? name.slice(TOP.length + 1) : `outside: ${name}`)
    }
    offset += 512 + Math.ceil(Number.parseInt(text(124, 136), 8) / 512) * 512
  }
  return names.toSorted()
}

const EVERYTHING = ['README', 'd/e/f', 'd/g', '-lead', ':(glob)*', 'ü "\n', 'x/*/y'].toSorted()

describe('an archive', () => {
  test.each<ArchiveFormat>(['tar', 'tar.gz', 'tar.bz2'])(
    '%s contains every file, and is reproducible',
    async (format) => {
      const first = await bytes({ format })
      expect((await bytes({ format })).equals(first)).toBe(true)
      expect(await listing(first, format)).toEqual(EVERYTHING)
    },
  )

  test('zip is reproducible, with the commit time in UTC', async () => {
    const first = await bytes({ format: 'zip' })
    expect((await bytes({ format: 'zip' })).equals(first)).toBe(true)
    expect(first.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
    // 04:05:06 and 2024-02-03, as MS-DOS writes them.
    expect(first.readUInt16LE(10)).toBe((4 << 11) | (5 << 5) | 3)
    expect(first.readUInt16LE(12)).toBe(((2024 - 1980) << 9) | (2 << 5) | 3)
  })

  test('unpacks to the same files', async () => {
    const target = await own.newDirectory()
    const file = join(await own.newDirectory(), 'archive')
    await writeFile(file, await bytes({ format: 'tar.gz' }))
    await run('tar', ['-xzf', file, '-C', target])
    expect(await readdir(target)).toEqual([TOP])
    expect((await readdir(join(target, TOP))).toSorted()).toEqual(
      ['README', 'd', '-lead', ':(glob)*', 'ü "\n', 'x'].toSorted(),
    )
    expect(await readFile(join(target, TOP, 'README'), 'utf8')).toBe('read me\n')
    expect((await stat(join(target, TOP, 'README'))).mtime.toISOString()).toBe(ada.date)
  })

  test('of a directory has complete paths; exclusions are literal', async () => {
    const all = ['-lead', ':(glob)*', 'README', 'd/e/f', 'd/g']
    expect(await listing(await bytes({ path: path('d') }))).toEqual(['d/e/f', 'd/g'])
    expect(await listing(await bytes({ path: path('d/e') }))).toEqual(['d/e/f'])
    expect(await listing(await bytes({ path: path('d'), excludedPaths: [path('d/e')] }))).toEqual(['d/g'])
    expect(await listing(await bytes({ path: path(':(glob)*') }))).toEqual([':(glob)*'])
    expect(await listing(await bytes({ path: path('x/*') }))).toEqual(['x/*/y'])
    expect(await listing(await bytes({ path: path('-lead') }))).toEqual(['-lead'])
    const excludedPaths = [path('x'), path('ü "\n'), path('*'), path('missing')]
    expect(await listing(await bytes({ excludedPaths }))).toEqual(all)
    const odd = [path(':(glob)*'), path('-lead'), path('d'), path('x'), path('ü "\n')]
    expect(await listing(await bytes({ excludedPaths: odd }))).toEqual(['README'])
    expect(await listing(await bytes({ path: path('d'), excludedPaths: [path('d')] }))).toEqual([])
  })

  test('follows export attributes, runs no filter, and contains links and submodules', async () => {
    const other = await own.newRepository()
    const proof = join(own.root, 'filter-ran')
    const config = join(other.directory, 'config')
    await writeFile(config, `${await readFile(config, 'utf8')}[tar "tar.gz"]\n\tcommand = touch ${proof}\n`)
    const attributes = 'secret export-ignore\nversion export-subst\n* filter=none\n'
    const oid = await admitting(other).createCommit({
      parent: null,
      author: ada,
      committer: ada,
      message: 'm',
      changes: [
        { path: path('.gitattributes'), content: Buffer.from(attributes) },
        { path: path('secret'), content: Buffer.from('1') },
        { path: path('version'), content: Buffer.from('$Format:%H$') },
        { path: path('link'), content: Buffer.from('version'), mode: '120000' },
        { path: path('module'), oid: 'a'.repeat(40) as Oid, mode: '160000' },
      ],
    })
    const tar = await bytes({ format: 'tar.gz' }, oid, other)
    expect(await listing(tar, 'tar.gz')).toEqual(['.gitattributes', 'link', 'version'])
    expect((await bytes({}, oid, other)).includes(oid.slice(0, 40))).toBe(true)
    await expect(stat(proof)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('supports SHA-256 repositories', async () => {
    const other = await own.newRepository()
    await other.remove()
    await other.init({ defaultBranch: main, objectFormat: 'sha256' })
    const changes = [{ path: path('a'), content: Buffer.from('1') }]
    const people = { author: ada, committer: ada }
    const oid = await admitting(other).createCommit({ parent: null, ...people, message: 'm', changes })
    expect(await listing(await bytes({ format: 'tar.gz' }, oid, other), 'tar.gz')).toEqual(['a'])
  })
})

describe('an archive is refused for', () => {
  const refused = (options: Partial<ArchiveOptions>, oid = commit, from = repository) =>
    expect(from.archive(oid, { format: 'tar.gz', prefix: TOP, ...options })).rejects

  test('a missing commit, a missing path, no remaining file', async () => {
    const missing = { code: 'object_missing' }
    const tree = (await repository.commits([commit])).get(commit)!.treeOid
    await refused({}, 'a'.repeat(40) as Oid).toMatchObject(missing)
    await refused({}, tree).toMatchObject(missing)
    await refused({ path: path('missing') }).toMatchObject(missing)
    await refused({ path: path('README/x') }).toMatchObject(missing)
    const other = await own.newRepository()
    const oid = await commitFiles(other, { 'd/a': '1' })
    await refused({ excludedPaths: [path('d')] }, oid, other).toMatchObject(missing)
    await other.remove()
    await refused({}, oid, other).toMatchObject({ code: 'repository_missing' })
  })

  test.each(['', '..', '../x', '/etc', 'a/../../b', 'a\0b', 'a/'])('the top directory %j', async (prefix) => {
    await refused({ prefix }).toMatchObject({ code: 'invalid_input' })
  })

  test('bzip2 when it is not installed', async () => {
    const without = await openTestGit({ binary: '/usr/bin/git', searchPath: '/nonexistent' })
    try {
      const other = await without.newRepository()
      const oid = await commitFiles(other, { a: '1' })
      await refused({ format: 'tar.bz2' }, oid, other).toMatchObject({ code: 'unsupported' })
      // The other formats need no program.
      await bytes({ format: 'tar.gz' }, oid, other)
    } finally {
      await without[Symbol.asyncDispose]()
    }
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a stream', () => {
  /** More content than all buffers of a transfer hold. */
  async function large(): Promise<[Repository, Oid]> {
    const other = await own.newRepository()
    const content = Buffer.alloc(8_000_000)
    for (let index = 0; index < content.length; index += 4) content.writeUInt32LE((index * 2_654_435_761) >>> 0, index)
    const names = Array.from({ length: 3 }, (_, index) => [`f${index}`, Buffer.concat([Buffer.from([index]), content])])
    return [other, await commitFiles(other, Object.fromEntries(names))]
  }

  async function firstChunk(stream: Readable): Promise<void> {
    for await (const _ of stream.iterator({ destroyOnReturn: false })) return
  }

  test.each<ArchiveFormat>(['tar', 'tar.gz', 'tar.bz2', 'zip'])(
    '%s that is destroyed ends its processes',
    async (format) => {
      const [other, oid] = await large()
      await using owned = await openTestRunner()
      const stream = await archive(owned.contextOf(other), oid, { format, prefix: TOP })
      await firstChunk(stream)
      stream.destroy()
      const job = owned.jobs.at(-1)!
      await endsEarly(job)
      await until(() => !isAlive(job.pid))
    },
  )

  test.each<ArchiveFormat>(['tar.gz', 'tar.bz2'])(
    '%s that is aborted fails instead of ending early',
    async (format) => {
      const [other, oid] = await large()
      const aborting = new AbortController()
      const stream = await other.archive(oid, { format, prefix: TOP, signal: aborting.signal })
      await firstChunk(stream)
      aborting.abort()
      await expect(buffer(stream)).rejects.toMatchObject({ code: 'aborted' })
    },
  )

  test.each<ArchiveFormat>(['tar', 'tar.bz2'])('%s fails when an object is missing', async (format) => {
    const other = await own.newRepository()
    const content = Array.from({ length: 50_000 }, (_, index) => (index * index) % 9_973).join()
    const oid = await commitFiles(other, { a: content, z: 'gone' })
    const { oid: blob } = (await other.entryAt(oid, path('z')))!
    await rm(join(other.directory, 'objects', blob.slice(0, 2), blob.slice(2)))
    const failing = other.archive(oid, { format, prefix: TOP }).then(buffer)
    await expect(failing).rejects.toMatchObject({ name: 'GitError', code: 'command_failed' })
  })
})
