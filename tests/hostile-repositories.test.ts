/** What people may push is theirs to choose: no repository does harm to the server, to its other users or to who reads it. */

import { existsSync } from 'node:fs'
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runGit } from '../src/infra/git/testing.ts'
import type { ProjectRow } from '../src/modules/projects/index.ts'
import { openRow } from '../src/platform/repositories/index.ts'
import {
  bytesAt,
  httpUrl,
  type ImportedFile,
  imported,
  importStream,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../src/testing/index.ts'

const megabyte = 1024 * 1024

let server: TestServer
let owner: Person
let work: Awaited<ReturnType<typeof temporaryDirectory>>

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  work = await temporaryDirectory()
  await run(['init', '--quiet', '--initial-branch=main'])
})
afterAll(async () => {
  await server.stop()
  await work[Symbol.asyncDispose]()
})

/** What git prints; a failure is an error. */
async function run(args: readonly string[], input: string | Buffer = ''): Promise<string> {
  const { exitCode, stdout, stderr } = await runGit(args, { cwd: work.path, input })
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

const addressOf = (path: string) => httpUrl(server, owner, `owner/${path}`)
const push = (path: string, ...refspecs: string[]) =>
  runGit(['push', '--quiet', addressOf(path), ...refspecs], { cwd: work.path })

/** Stores any bytes as an object, however wrong. */
const store = (type: 'blob' | 'tree' | 'commit' | 'tag', content: string | Buffer) =>
  run(['hash-object', '-t', type, '-w', '--literally', '--stdin'], content)

type RawEntry = [mode: string, name: string | Buffer, oid: string]

/** A tree as git stores it, of entries in the order that they are given. */
const treeOf = (entries: readonly RawEntry[]) =>
  store(
    'tree',
    Buffer.concat(
      entries.flatMap(([mode, name, oid]) => [
        Buffer.from(`${mode} `),
        Buffer.from(name),
        Buffer.from([0]),
        Buffer.from(oid, 'hex'),
      ]),
    ),
  )

const signature = 'Ada <ada@example.com> 1700000000 +0000'
const commitText = (tree: string, rest = `author ${signature}\ncommitter ${signature}\n\nx\n`) =>
  `tree ${tree}\n${rest}`
const commitOf = async (entries: readonly RawEntry[]) => store('commit', commitText(await treeOf(entries)))

const filesOf = (project: ProjectRow) => `/projects/${project.id}/repository`

describe('objects that are not what they should be', () => {
  let blob: string
  let attempts: ProjectRow
  beforeAll(async () => {
    attempts = await server.make.project('attempts', owner)
    blob = await store('blob', 'content\n')
  })

  /** Asserts that no push of this commit comes through. */
  async function refused(what: string, oid: string): Promise<void> {
    const outcome = await push('attempts', `${oid}:refs/heads/main`)
    expect([what, outcome.exitCode]).toEqual([what, 1])
    expect((await owner.get(`${filesOf(attempts)}/branches`)).body).toEqual([])
    // Nor is what came with it to be had afterwards.
    expect((await owner.get(`${filesOf(attempts)}/blobs/${blob}`)).status).toBe(404)
  }

  test.each([
    ['.git', '.git'],
    ['.git in capitals', '.GIT'],
    ['.git half in capitals', '.gIt'],
    ['.git as Windows shortens it', 'git~1'],
    ['.git as Windows shortens it, in capitals', 'GIT~1'],
    ['.git with a dot that Windows drops', '.git.'],
    ['.git with a blank that Windows drops', '.git '],
    ['.git with a stream of Windows', '.git::$INDEX_ALLOCATION'],
    ['.git with a character that macOS drops', '.git\u200c'],
    ['.git with a character that macOS drops inside', '.g\u200dit'],
    ['.git with a mark of byte order', '\ufeff.git'],
    ['.git below by a backslash', 'a\\.git\\config'],
    ['the directory itself', '.'],
    ['the directory above', '..'],
    ['no name at all', ''],
    ['a path', 'a/b'],
  ])('no tree has this name: %s', async (what, name) => {
    for (const mode of ['100644', '40000']) {
      const oid = mode === '40000' ? await treeOf([['100644', 'config', blob]]) : blob
      await refused(what, await commitOf([[mode, name, oid]]))
    }
  })

  test('no tree out of order, with a name twice, or with an id of nothing', async () => {
    await refused(
      'a name twice',
      await commitOf([
        ['100644', 'a', blob],
        ['100644', 'a', blob],
      ]),
    )
    await refused(
      'a file and a directory',
      await commitOf([
        ['100644', 'a', blob],
        ['40000', 'a', await treeOf([])],
      ]),
    )
    await refused(
      'out of order',
      await commitOf([
        ['100644', 'b', blob],
        ['100644', 'a', blob],
      ]),
    )
    await refused('the null id', await commitOf([['100644', 'a', '0'.repeat(40)]]))
    await refused(
      'a module that leads away',
      await commitOf([
        ['100644', '.gitmodules', await store('blob', '[submodule "../../x"]\n\tpath = x\n\turl = ../x\n')],
        ['160000', 'x', 'f'.repeat(40)],
      ]),
    )
    await refused(
      'a module with an option for an address',
      await commitOf([
        ['100644', '.gitmodules', await store('blob', '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n')],
        ['160000', 'x', 'f'.repeat(40)],
      ]),
    )
    await refused('a link as .gitmodules', await commitOf([['120000', '.gitmodules', blob]]))
  })

  test('no commit without its parts, or with more than that', async () => {
    const tree = await treeOf([['100644', 'a', blob]])
    const wrong: [string, string][] = [
      ['no author', commitText(tree, `committer ${signature}\n\nx\n`)],
      ['no committer', commitText(tree, `author ${signature}\n\nx\n`)],
      ['no address', commitText(tree, `author Ada 1700000000 +0000\ncommitter ${signature}\n\nx\n`)],
      ['two authors', commitText(tree, `author ${signature}\nauthor ${signature}\ncommitter ${signature}\n\nx\n`)],
      [
        'a date without end',
        commitText(tree, `author Ada <a@b> ${'9'.repeat(40)} +0000\ncommitter ${signature}\n\nx\n`),
      ],
      ['a parent that is none', commitText(tree, `parent xyz\nauthor ${signature}\ncommitter ${signature}\n\nx\n`)],
      ['NUL in its header', commitText(tree, `author A\0da <a@b> 1 +0000\ncommitter ${signature}\n\nx\n`)],
    ]
    for (const [what, text] of wrong) await refused(what, await store('commit', text))
  })

  test('no history that lacks a part', async () => {
    const missing = commitText('e'.repeat(40))
    const outcome = await push('attempts', `${await store('commit', missing)}:refs/heads/main`)
    expect(outcome.exitCode).not.toBe(0)
    expect((await owner.get(`${filesOf(attempts)}/branches`)).body).toEqual([])
  })

  test('the place is good for a sound push afterwards', async () => {
    const sound = await commitOf([['100644', 'a', blob]])
    expect((await push('attempts', `${sound}:refs/heads/main`)).exitCode).toBe(0)
    expect((await owner.get(`${filesOf(attempts)}/blobs/${blob}`)).status).toBe(200)
  })
})

describe('refs that no client would send', () => {
  /** Sends one change of a ref as bytes, with an empty pack; answers what the server reports. */
  async function sent(project: string, ref: Buffer, oid: string): Promise<string> {
    const change = Buffer.concat([Buffer.from(`${'0'.repeat(40)} ${oid} `), ref, Buffer.from('\0report-status')])
    const line = Buffer.concat([Buffer.from((change.length + 4).toString(16).padStart(4, '0')), change])
    const pack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex')
    const response = await fetch(`${server.url}/owner/${project}.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`any:${owner.token}`).toString('base64')}`,
        'Content-Type': 'application/x-git-receive-pack-request',
      },
      body: new Uint8Array(Buffer.concat([line, Buffer.from('0000'), pack])),
    })
    return response.text().catch(() => 'cut off')
  }

  test('move nothing', async () => {
    const stream = importStream([{ message: 'x', files: [['100644', 'a', 'a\n']] }])
    const project = await imported(server, owner, 'raw-refs', stream)
    const { body } = await owner.get(`${filesOf(project)}/branches`)
    const head = body[0].commit.id
    const names = [
      ...['refs/heads/../../config', 'refs/heads/a..b', 'refs/heads/.hidden', 'refs/heads/x.lock', 'refs/heads/'],
      ...['../../../x', 'HEAD', 'config', 'refs/heads/a b', 'refs/heads/a\x01b', 'refs/heads/a:b', 'refs/heads/a~1'],
      ...['refs/heads/-x', 'refs/heads/--all', 'refs/heads/@{0}', 'refs/heads/a//b', '/refs/heads/x', 'refs', ''],
      ...['objects/info/alternates', 'refs/keep-around/x', `refs/heads/${'x'.repeat(5_000)}`, 'refs/heads/HEAD'],
    ].map((name) => Buffer.from(name))
    for (const name of [...names, Buffer.from('refs/heads/\xff\xfe', 'latin1')]) {
      const report = await sent('raw-refs', name, head)
      expect([name.toString('latin1').slice(0, 40), report.includes('ok refs') || report.includes('\nok ')]).toEqual([
        name.toString('latin1').slice(0, 40),
        false,
      ])
    }
    const left = await owner.get(`${filesOf(project)}/branches`)
    expect(left.body.map(({ name }: { name: string }) => name)).toEqual(['main'])
    expect((await push('raw-refs', `${await commitOf([])}:refs/heads/fine`)).exitCode).toBe(0)
  })

  test('one name may be a tag and a branch: the tag is meant where files are read, the branch where branches are', async () => {
    const stream = importStream([
      { message: 'one', files: [['100644', 'a', 'of the tag\n']] },
      { message: 'two', files: [['100644', 'a', 'of the branch\n']] },
    ])
    const refs = ['main:refs/heads/both', 'main~1:refs/tags/both']
    const project = await imported(server, owner, 'both', stream, { refs })
    const [tag, branch] = ['of the tag\n', 'of the branch\n']
    const raw = async (ref: string) => (await owner.get(`${filesOf(project)}/files/a/raw?ref=${ref}`)).body
    expect([await raw('both'), await raw('refs/tags/both'), await raw('refs/heads/both')]).toEqual([tag, tag, branch])
    const archived = async (ref: string) => {
      const { bytes } = await bytesAt(owner, `${filesOf(project)}/archive?sha=${encodeURIComponent(ref)}`)
      return gunzipSync(bytes).toString('latin1')
    }
    expect(await archived('both')).toContain(tag)
    expect(await archived('refs/heads/both')).toContain(branch)
    const [own, tree] = await Promise.all([
      owner.get(`${filesOf(project)}/branches/both`),
      owner.get(`${filesOf(project)}/tree?ref=both`),
    ])
    expect(own.body.commit.title).toBe('two')
    expect(tree.body[0].id).toBe(await store('blob', tag))
  })
})

describe('repositories of an odd form', () => {
  test('a tree five thousand floors deep is served', async () => {
    const depth = 5_000
    const path = `${'d/'.repeat(depth - 1)}bottom`
    const project = await imported(
      server,
      owner,
      'deep',
      importStream([{ message: 'deep', files: [['100644', path, 'deep\n']] }]),
    )
    const all = await bytesAt(owner, `${filesOf(project)}/tree?recursive=true&pagination=none`)
    const entries = JSON.parse(all.bytes.toString())
    expect(entries).toHaveLength(depth)
    expect(entries.at(-1).path).toBe(path)
    const page = await owner.get(`${filesOf(project)}/tree?recursive=true&per_page=100&page=50`)
    expect(page.body.at(-1)).toEqual(entries.at(-1))
    const last = `${'d/'.repeat(2_000)}d`
    expect((await owner.get(`${filesOf(project)}/tree?path=${encodeURIComponent(last)}`)).body[0].path).toBe(
      `${last}/d`,
    )
    // Git itself may run out of stack here; then it says so, and nothing else suffers.
    const archive = await bytesAt(owner, `${filesOf(project)}/archive.tar`)
    if (archive.status === 200) expect(archive.bytes.includes('bottom')).toBe(true)
    else expect([archive.status, archive.bytes.toString()]).toEqual([422, expect.stringContaining('too deep')])
    expect((await owner.get(`${filesOf(project)}/tree`)).status).toBe(200)
  })

  test('a tree that holds itself ten times on each floor is not listed to its end', async () => {
    let tree = await treeOf([['100644', 'leaf', await store('blob', 'leaf\n')]])
    for (let floor = 0; floor < 10; floor += 1) {
      tree = await treeOf(Array.from({ length: 10 }, (_, index): RawEntry => ['40000', `d${index}`, tree]))
    }
    const project = await server.make.project('bomb', owner)
    expect((await push('bomb', `${await store('commit', commitText(tree))}:refs/heads/main`)).exitCode).toBe(0)
    expect((await owner.get(`${filesOf(project)}/tree`)).body).toHaveLength(10)
    const answer = await owner.get(`${filesOf(project)}/tree?recursive=true`)
    expect(answer).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('too many entries') },
    })
    // Nor is it looked through again by everybody who asks.
    expect((await owner.get(`${filesOf(project)}/tree?recursive=true&pagination=none`)).status).toBe(422)
  }, 60_000)

  test('names that are not UTF-8 are listed, and archived as they are', async () => {
    const files: ImportedFile[] = [
      ['100644', '"caf\\351.txt"', 'latin1\n'],
      ['100644', '"\\303\\050/inner"', 'broken\n'],
      ['100644', '"\\355\\240\\200"', 'a surrogate\n'],
      ['100644', '"esc\\033[31m"', 'terminal\n'],
    ]
    const project = await imported(server, owner, 'names', importStream([{ message: 'x', files }]))
    const { status, body } = await owner.get(`${filesOf(project)}/tree?recursive=true`)
    expect(status).toBe(200)
    expect(body.map(({ path }: { path: string }) => path)).toEqual([
      '\ufffd(',
      'caf\ufffd.txt',
      'esc\u001b[31m',
      '\ufffd(/inner',
      '\ufffd\ufffd\ufffd',
    ])
    expect((await owner.get(`${filesOf(project)}/files/${encodeURIComponent('caf\ufffd.txt')}/raw`)).status).toBe(404)
    const { bytes } = await bytesAt(owner, `${filesOf(project)}/archive.tar`)
    expect(bytes.includes(Buffer.from('caf\xe9.txt', 'latin1'))).toBe(true)
  })

  test('a thousand branches are pushed at once', async () => {
    const project = await server.make.project('many-refs', owner)
    const commit = await commitOf([['100644', 'a', await store('blob', 'a\n')]])
    const names = Array.from({ length: 1_000 }, (_, index) => `b${index}`)
    const outcome = await push('many-refs', ...names.map((name) => `${commit}:refs/heads/${name}`))
    expect(outcome.exitCode).toBe(0)
    const { headers } = await owner.get(`${filesOf(project)}/branches`)
    expect(headers.get('x-total')).toBe('1000')
  }, 120_000)

  test('a hundred thousand branches are served, and more of them taken', async () => {
    const count = 100_000
    const project = await server.make.project('refs', owner)
    const commit = await commitOf([['100644', 'a', await store('blob', 'a\n')]])
    expect((await push('refs', `${commit}:refs/heads/main`)).exitCode).toBe(0)
    // As an import or a fork brings them; git itself takes minutes to make each of them durable on its own.
    const { database } = server.app.platform
    const row = await database.write((tx) =>
      tx
        .updateTable('repositories')
        .set((eb) => ({ generation: eb('generation', '+', 1) }))
        .where('project_id', '=', project.id)
        .where('kind', '=', 'project')
        .returningAll()
        .executeTakeFirstOrThrow(),
    )
    const names = Array.from({ length: count }, (_, index) => `refs/heads/b${index}`).sort()
    const lines = ['# pack-refs with: peeled fully-peeled sorted ', ...names.map((name) => `${commit} ${name}`), '']
    await writeFile(join((await openRow(server.app.platform, row)).directory, 'packed-refs'), lines.join('\n'))

    const named = async (query: string) =>
      (await owner.get(`${filesOf(project)}/branches?${query}`)).body.map(({ name }: { name: string }) => name)
    const first = await owner.get(`${filesOf(project)}/branches?per_page=100`)
    expect([first.status, first.body.length, first.headers.get('x-total')]).toEqual([200, 100, null])
    expect(await named('search=%5Eb99999$')).toEqual(['b99999'])
    expect(await named('pagination=keyset&page_token=b5&per_page=2')).toEqual(['b50', 'b500'])
    expect((await owner.get(`${filesOf(project)}/files/a/raw?ref=b77777`)).body).toBe('a\n')
    const advertised = await run(['ls-remote', addressOf('refs'), 'refs/heads/*'])
    expect(advertised.split('\n')).toHaveLength(count + 1)
    expect((await push('refs', `${commit}:refs/heads/b5-and-a-half`)).exitCode).toBe(0)
    expect(await named('search=half$')).toEqual(['b5-and-a-half'])
    expect((await owner.delete(`${filesOf(project)}/branches/b50000`)).status).toBe(204)
    expect(await named('search=%5Eb50000$')).toEqual([])
  }, 120_000)
})

describe('a large file', () => {
  const sizeBytes = 160 * megabyte
  const allowedBytes = 100 * megabyte
  let project: ProjectRow

  beforeAll(async () => {
    const file = join(work.path, 'large')
    await writeFile(file, '')
    await truncate(file, sizeBytes)
    const blob = await run(['-c', 'core.compression=1', 'hash-object', '-w', '--no-filters', file])
    const small = await store('blob', 'small\n')
    const commit = await commitOf([
      ['100644', 'large', blob],
      ['100644', 'small', small],
    ])
    project = await server.make.project('large', owner)
    expect((await push('large', `${commit}:refs/heads/main`)).exitCode).toBe(0)
  }, 120_000)

  /** Reads an answer to its end and throws it away; tells its length, and by how much the memory grew meanwhile. */
  async function swallowed(path: string): Promise<{ status: number; lengthBytes: number; growthBytes: number }> {
    const before = process.memoryUsage.rss()
    let most = before
    let lengthBytes = 0
    const response = await owner.open(path)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      lengthBytes += chunk.length
      most = Math.max(most, process.memoryUsage.rss())
    }
    return { status: response.status, lengthBytes, growthBytes: most - before }
  }

  test.each([
    ['its bytes', 'files/large/raw', sizeBytes],
    ['as JSON', 'files/large?ref=main', Math.ceil(sizeBytes / 3) * 4],
    ['in an archive', 'archive.tar', sizeBytes],
  ])(
    'is sent without being held: %s',
    async (_, path, leastBytes) => {
      const { status, lengthBytes, growthBytes } = await swallowed(`${filesOf(project)}/${path}`)
      expect(status).toBe(200)
      expect(lengthBytes).toBeGreaterThanOrEqual(leastBytes)
      expect(lengthBytes).toBeLessThan(leastBytes + megabyte)
      expect(growthBytes).toBeLessThan(allowedBytes)
    },
    120_000,
  )

  test('that nobody reads on is not read on', async () => {
    const before = process.memoryUsage.rss()
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => owner.open(`${filesOf(project)}/files/large/raw`)),
    )
    const readers = responses.map((response) => response.body?.getReader())
    for (const reader of readers) await reader?.read()
    // The server goes on serving, and holds what fits into the buffers of six connections.
    for (let count = 0; count < 20; count += 1) {
      expect((await owner.get(`${filesOf(project)}/files/small/raw`)).body).toBe('small\n')
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(allowedBytes)
    for (const reader of readers) await reader?.cancel()
  }, 60_000)
})

describe('links that were committed', () => {
  test('lead nowhere, for who reads and for who writes', async () => {
    const outside = join(work.path, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'target'), 'untouched\n')
    const files: ImportedFile[] = [
      ['120000', 'folder', outside],
      ['120000', 'file', join(outside, 'target')],
      ['120000', 'up', '../../../../../../../..'],
      ['120000', 'self', '.'],
      ['120000', 'git', '.git'],
      ['100644', 'plain', 'plain\n'],
    ]
    const project = await imported(server, owner, 'links', importStream([{ message: 'x', files }]))
    const path = `${filesOf(project)}/files`
    expect((await owner.get(`${path}/file/raw`)).body).toBe(join(outside, 'target'))
    for (const inside of ['folder/target', 'up/etc/passwd', 'self/plain', 'git/config']) {
      expect([inside, (await owner.get(`${path}/${encodeURIComponent(inside)}/raw`)).status]).toEqual([inside, 404])
    }
    const write = { branch: 'main', commit_message: 'x', content: 'evil\n' }
    for (const inside of ['folder/evil', 'up/tmp/evil', 'self/evil', 'git/config', 'git/hooks/post-update']) {
      const answer = await owner.post(`${path}/${encodeURIComponent(inside)}`, write)
      expect([inside, answer.status < 500]).toEqual([inside, true])
    }
    expect((await owner.put(`${path}/file`, write)).status).toBe(200)
    expect((await owner.get(`${path}/file/raw`)).body).toBe('evil\n')
    expect(await readFile(join(outside, 'target'), 'utf8')).toBe('untouched\n')
    expect(existsSync(join(outside, 'evil'))).toBe(false)
    expect(existsSync('/tmp/evil')).toBe(false)
    expect((await owner.get(`${path}/plain/raw`)).body).toBe('plain\n')
    expect((await push('links', `${await commitOf([])}:refs/heads/after`)).exitCode).toBe(0)
  })
})
