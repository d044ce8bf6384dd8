/** Invalid objects and refs are refused, and do not harm the server or its other users. */

import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ProjectRow } from '../src/modules/projects/index.ts'
import { bytesAt, imported, importStream } from '../src/testing/index.ts'
import {
  commitOf,
  commitText,
  filesOf,
  owner,
  push,
  serveForTests,
  server,
  signature,
  store,
  treeOf,
} from './hostile-testing.ts'

serveForTests()

describe('invalid objects', () => {
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
  ])('trees with this name are refused: %s', async (what, name) => {
    for (const mode of ['100644', '40000']) {
      const oid = mode === '40000' ? await treeOf([['100644', 'config', blob]]) : blob
      await refused(what, await commitOf([[mode, name, oid]]))
    }
  })

  test('trees out of order, with a duplicate name, or with a zero id are refused', async () => {
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

  test('commits with missing or additional parts are refused', async () => {
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

  test('incomplete histories are refused', async () => {
    const missing = commitText('e'.repeat(40))
    const outcome = await push('attempts', `${await store('commit', missing)}:refs/heads/main`)
    expect(outcome.exitCode).not.toBe(0)
    expect((await owner.get(`${filesOf(attempts)}/branches`)).body).toEqual([])
  })

  test('the repository accepts a valid push afterwards', async () => {
    const sound = await commitOf([['100644', 'a', blob]])
    expect((await push('attempts', `${sound}:refs/heads/main`)).exitCode).toBe(0)
    expect((await owner.get(`${filesOf(attempts)}/blobs/${blob}`)).status).toBe(200)
  })
})

describe('illegal refs', () => {
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

  test('move no refs', async () => {
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

  test('a name of a tag and a branch selects the tag for files, and the branch for branches', async () => {
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
