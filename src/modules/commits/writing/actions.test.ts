import { describe, expect, test } from 'vitest'
import type { ProjectRow } from '../../projects/index.ts'
import {
  commitsOf,
  create,
  demo,
  filesAt,
  makeProject,
  message,
  place,
  serveDemoForTests,
  write,
} from '../writing-testing.ts'

serveDemoForTests()

describe('a list of actions', () => {
  const run = async (of: ProjectRow, actions: readonly unknown[]) => write({ actions }, of)

  test('is applied in order, each action on the result of the earlier ones', async () => {
    const made = await makeProject(place, 'ordered', { 'd/x': 'x\n', 'd/y': 'y\n', file: 'file\n', kept: 'kept\n' })
    const answer = await run(made, [
      create('one', '1\n'),
      { action: 'update', file_path: 'one', content: '2\n' },
      { action: 'chmod', file_path: 'one', execute_filemode: true },
      { action: 'move', previous_path: 'one', file_path: 'two' },
      create('one', 'again\n'),
      // A directory that has been emptied is none any more.
      { action: 'delete', file_path: 'd/x' },
      { action: 'move', previous_path: 'd/y', file_path: 'd' },
      // And a file that has gone may become a directory.
      { action: 'move', previous_path: 'file', file_path: 'file/inside' },
      { action: 'delete', file_path: 'kept' },
      create('kept', 'new\n'),
      create('gone'),
      { action: 'delete', file_path: 'gone' },
    ])
    expect(answer.body.message).toBe('change')
    expect(await filesAt(place, made)).toEqual({
      one: 'again\n',
      two: '100755 2\n',
      d: 'y\n',
      'file/inside': 'file\n',
      kept: 'new\n',
    })
  })

  test('moves files with and without new content, and keeps the mode', async () => {
    const made = await makeProject(place, 'moving', { a: 'a\n', b: 'b\n' })
    await run(made, [{ action: 'chmod', file_path: 'a', execute_filemode: true }])
    await run(made, [
      { action: 'move', previous_path: 'a', file_path: 'sub/a', content: 'changed\n' },
      { action: 'move', previous_path: 'b', file_path: 'sub/b' },
    ])
    expect(await filesAt(place, made)).toEqual({ 'sub/a': '100755 changed\n', 'sub/b': 'b\n' })
    await run(made, [{ action: 'update', file_path: 'sub/a', content: '', execute_filemode: false }])
    expect(await filesAt(place, made)).toEqual({ 'sub/a': '', 'sub/b': 'b\n' })
  })

  test('is applied as a whole or not at all', async () => {
    const made = await makeProject(place, 'atomic', { a: 'a\n', 'd/b': 'b\n' })
    const exists = 'A file with this name already exists'
    const missing = "A file with this name doesn't exist"
    const refused: [actions: readonly unknown[], sentence: string][] = [
      [[create('ok'), create('a')], exists],
      [[create('ok'), create('ok')], exists],
      [[create('d')], 'A directory with this name already exists'],
      [[create('a/below')], 'Path cannot lead through a file: a'],
      [[create('ok'), create('ok/below/deep')], 'Path cannot lead through a file: ok'],
      [[{ action: 'update', file_path: 'none', content: '' }], missing],
      [[{ action: 'update', file_path: 'd', content: '' }], missing],
      [[{ action: 'update', file_path: 'a/none', content: '' }], missing],
      [[{ action: 'delete', file_path: 'none' }], missing],
      [[{ action: 'delete', file_path: 'd' }], missing],
      [
        [
          { action: 'delete', file_path: 'a' },
          { action: 'update', file_path: 'a', content: '' },
        ],
        missing,
      ],
      [[{ action: 'chmod', file_path: 'none', execute_filemode: true }], missing],
      [[{ action: 'move', previous_path: 'none', file_path: 'x' }], missing],
      [[{ action: 'move', previous_path: 'a', file_path: 'a' }], exists],
      [[{ action: 'move', previous_path: 'a', file_path: 'd/b' }], exists],
      [[{ action: 'move', previous_path: 'd/b', file_path: 'a/b' }], 'Path cannot lead through a file: a'],
      [[{ action: 'delete', file_path: 'd/b' }, create('d'), create('d/c')], 'Path cannot lead through a file: d'],
      [
        [{ action: 'delete', file_path: 'd/b' }, create('d/c'), create('d')],
        'A directory with this name already exists',
      ],
    ]
    const before = await filesAt(place, made)
    for (const [actions, sentence] of refused) {
      const answer = await run(made, actions)
      expect([actions, answer.status, answer.body]).toEqual([actions, 400, message(sentence)])
    }
    expect(await filesAt(place, made)).toEqual(before)
    expect((await place.owner.get(commitsOf(made))).body).toHaveLength(1)
  })

  test('is refused when a file has changed after last_commit_id', async () => {
    const made = await makeProject(place, 'stale', { a: 'a\n', b: 'b\n' })
    const first = (await place.owner.get(commitsOf(made))).body[0].id
    const second = (await run(made, [{ action: 'update', file_path: 'a', content: 'A\n', last_commit_id: first }])).body
      .id
    const stale = 'The file has changed since you started editing it: a'
    for (const action of [
      { action: 'update', file_path: 'a', content: 'x' },
      { action: 'delete', file_path: 'a' },
      { action: 'move', previous_path: 'a', file_path: 'c' },
    ]) {
      expect((await run(made, [{ ...action, last_commit_id: first }])).body).toEqual(message(stale))
    }
    const fresh = [
      { action: 'update', file_path: 'a', content: 'AA\n', last_commit_id: second },
      { action: 'move', previous_path: 'b', file_path: 'c', last_commit_id: first },
      { ...create('new'), last_commit_id: 'whatever' },
      { action: 'delete', file_path: 'a', last_commit_id: second },
    ]
    expect((await run(made, fresh)).status).toBe(201)
    expect(await filesAt(place, made)).toEqual({ c: 'b\n', new: 'new\n' })
  })

  test('may be long without blocking other requests', async () => {
    const made = await makeProject(place, 'long', { seed: '' })
    const many = Array.from({ length: 2_000 }, (_, index) =>
      create(`dir-${index % 50}/file-${index}.txt`, `${index}\n`),
    )
    expect((await run(made, many)).body.stats).toEqual({ additions: 2_000, deletions: 0, total: 2_000 })
    // Content is written once, however often it is touched.
    const touched = Array.from({ length: 5_000 }, (_, index) => ({
      action: 'chmod',
      file_path: 'big',
      execute_filemode: index % 2 === 0,
    }))
    const answer = await run(made, [create('big', 'x'.repeat(1_000_000)), ...touched])
    expect(answer.status).toBe(201)
  })
})

describe('parameters', () => {
  const bad = async (body: Record<string, unknown>) => (await place.developer.post(commitsOf(demo), body)).body.error

  test('that are missing are listed in order', async () => {
    const answer = await place.developer.post(commitsOf(demo), {})
    expect(answer.body).toEqual({
      message: '400 (Bad request) "branch", "commit_message", "actions" not given',
      error: 'branch is missing, commit_message is missing, actions is missing',
    })
    expect(await bad({ branch: 'main', actions: [] })).toBe('commit_message is missing, actions is empty')
  })

  test('of actions are named by index', async () => {
    const base = { branch: 'main', commit_message: 'x' }
    const cases: [action: unknown, error: string][] = [
      [{ action: 'copy', file_path: 'x' }, 'actions[0][action] does not have a valid value'],
      [{ action: 'create' }, 'actions[0][file_path] is missing'],
      [{ file_path: 'x' }, 'actions[0][action] is missing'],
      [{ action: 'update', file_path: 'x' }, 'actions[0][content] is missing'],
      [{ action: 'move', file_path: 'x' }, 'actions[0][previous_path] is missing'],
      [{ action: 'chmod', file_path: 'x' }, 'actions[0][execute_filemode] is missing'],
      [{ action: 'create', file_path: 'x', encoding: 'hex' }, 'actions[0][encoding] does not have a valid value'],
      [{ action: 'create', file_path: ['x'] }, 'actions[0][file_path] is invalid'],
      [{ action: 'create', file_path: 'a\u0000b' }, 'actions[0][file_path] is invalid'],
      [{ action: 'create', file_path: 'a\ud800' }, 'actions[0][file_path] is invalid'],
      [{ action: 'create', file_path: 'x', content: { a: 1 } }, 'actions[0][content] is invalid'],
      ['create', 'actions[0] is invalid'],
      [null, 'actions[0] is invalid'],
    ]
    for (const [action, error] of cases)
      expect([action, await bad({ ...base, actions: [action] })]).toEqual([action, error])
    expect(await bad({ ...base, actions: [create('x'), { action: 'chmod', file_path: 'x' }] })).toBe(
      'actions[1][execute_filemode] is missing',
    )
    expect(await bad({ ...base, actions: 'nonsense' })).toBe('actions is invalid')
    expect(await bad({ ...base, actions: {} })).toBe('actions is empty')
  })

  test("in a malformed body are answered with this operation's text", async () => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await place.developer.post(commitsOf(demo), '{"branch": ', { headers })
    expect([answer.status, answer.body]).toEqual([400, { message: 'Invalid json', error: 'Invalid json' }])
  })
})

describe('paths', () => {
  const at = (file_path: string) => write({ actions: [create(file_path)] })

  test('stay within the tree', async () => {
    const astray = 'Path cannot include directory traversal'
    for (const path of ['', '/', '/etc/passwd', '..', '../x', 'a/../b', 'a/..', './a', 'a/./b', 'a//b', 'a/']) {
      expect([path, (await at(path)).body]).toEqual([path, message(astray)])
    }
    const dotGit = "Path cannot include '.git'"
    for (const path of [
      '.git',
      '.git/config',
      'a/.GIT/x',
      'git~1',
      '.git ',
      '.git.',
      '.g\u200cit/x',
      'a\\.git\\x',
      '.git::$INDEX_ALLOCATION',
    ]) {
      expect([path, (await at(path)).body]).toEqual([path, message(dotGit)])
    }
    expect((await at(`${'a/'.repeat(2_100)}b`)).body).toEqual(message('Path is too long (maximum is 4096 bytes)'))
    const moved = await write({ actions: [{ action: 'move', previous_path: '../x', file_path: 'y' }] })
    expect(moved.body).toEqual(message(astray))
  })

  test('may contain unusual characters, which are unchanged', async () => {
    const made = await makeProject(place, 'odd', { seed: '' })
    const names = [
      '-rf',
      '--help',
      ':(glob)*',
      'a b',
      'tab\tnew\nline',
      '"quoted" \\ back',
      'D README',
      'ünïcödé/\u{1f600}',
      '.gitignore',
      '...',
      'a'.repeat(300),
      '*?[x]',
      '@',
      'HEAD',
    ]
    expect((await write({ actions: names.map((name) => create(name, 'x')) }, made)).status).toBe(201)
    expect(Object.keys(await filesAt(place, made)).sort()).toEqual([...names, 'seed'].sort())
    const gone = names.map((file_path) => ({ action: 'delete', file_path }))
    expect((await write({ actions: gone }, made)).status).toBe(201)
    expect(await filesAt(place, made)).toEqual({ seed: '' })
  })

  test('may be deep, within the limit of all paths', async () => {
    const made = await makeProject(place, 'deep', { seed: '' })
    const deep = (index: number) => create(`${'d/'.repeat(2_000)}${index}`, 'x')
    expect((await write({ actions: [deep(0), deep(1)] }, made)).status).toBe(201)
    const answer = await write({ actions: Array.from({ length: 200 }, (_, index) => deep(index + 2)) }, made)
    expect([answer.status, answer.body]).toEqual([400, message('Too many files')])
  })
})
