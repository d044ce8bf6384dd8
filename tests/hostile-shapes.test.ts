/** Repositories of unusual shapes and sizes do not harm the server, its other users or their readers. */

import { existsSync } from 'node:fs'
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ProjectRow } from '../src/modules/projects/index.ts'
import { openRow } from '../src/platform/repositories/index.ts'
import { bytesAt, type ImportedFile, imported, importStream } from '../src/testing/index.ts'
import {
  addressOf,
  commitOf,
  commitText,
  filesOf,
  owner,
  push,
  type RawEntry,
  run,
  serveForTests,
  server,
  store,
  treeOf,
  work,
} from './hostile-testing.ts'

const megabyte = 1024 * 1024

serveForTests()

describe('repositories of unusual shapes', () => {
  test('a tree with five thousand levels is served', async () => {
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

  test('a tree that contains itself ten times on each level is not listed completely', async () => {
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
    // Later requests do not read it again.
    expect((await owner.get(`${filesOf(project)}/tree?recursive=true&pagination=none`)).status).toBe(422)
  }, 60_000)

  test('names that are not UTF-8 are listed, and archived unchanged', async () => {
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

  test('a hundred thousand branches are served, and more are accepted', async () => {
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

  /** Reads an answer and discards it. @returns its length, and the growth of memory */
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

  test('is not read further when the client stops reading', async () => {
    const before = process.memoryUsage.rss()
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => owner.open(`${filesOf(project)}/files/large/raw`)),
    )
    const readers = responses.map((response) => response.body?.getReader())
    for (const reader of readers) await reader?.read()
    // The server continues to serve, with the buffers of six connections in memory.
    for (let count = 0; count < 20; count += 1) {
      expect((await owner.get(`${filesOf(project)}/files/small/raw`)).body).toBe('small\n')
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(allowedBytes)
    for (const reader of readers) await reader?.cancel()
  }, 60_000)
})

describe('committed symbolic links', () => {
  test('are not followed by readers or writers', async () => {
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
