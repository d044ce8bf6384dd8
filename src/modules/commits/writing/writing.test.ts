import { describe, expect, test } from 'vitest'
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

describe('x.commits_create', () => {
  test('makes one commit of all actions and returns it with all members', async () => {
    const made = await makeProject(place, 'whole', { 'a.txt': 'one\ntwo\n', 'b.sh': 'b\n', 'c.txt': 'c\n' })
    const before = await place.owner.get(`/projects/${made.id}/repository/branches/main`)
    const answer = await write(
      {
        commit_message: 'Rework\n\nIn detail.\n\nRefs: #1',
        actions: [
          create('new/file.txt', 'x\ny\n'),
          { action: 'move', previous_path: 'a.txt', file_path: 'moved.txt' },
          { action: 'chmod', file_path: 'b.sh', execute_filemode: true },
          { action: 'delete', file_path: 'c.txt' },
        ],
      },
      made,
    )
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      short_id: answer.body.id.slice(0, 8),
      created_at: expect.stringMatching(/\.000Z$/),
      parent_ids: [before.body.commit.id],
      title: 'Rework',
      message: 'Rework\n\nIn detail.\n\nRefs: #1',
      author_name: 'developer person',
      author_email: 'developer@example.com',
      authored_date: answer.body.created_at,
      committer_name: 'developer person',
      committer_email: 'developer@example.com',
      committed_date: answer.body.created_at,
      trailers: { Refs: '#1' },
      extended_trailers: {},
      web_url: `${place.server.url}/owner/whole/-/commit/${answer.body.id}`,
      stats: { additions: 2, deletions: 1, total: 3 },
      status: null,
      project_id: made.id,
      last_pipeline: null,
    })
    expect(await filesAt(place, made)).toEqual({
      'new/file.txt': 'x\ny\n',
      'moved.txt': 'one\ntwo\n',
      'b.sh': '100755 b\n',
    })
    const after = await place.owner.get(`/projects/${made.id}/repository/branches/main`)
    expect(after.body.commit.id).toBe(answer.body.id)
  })

  test('stores the message byte for byte, and the given author with the caller as committer', async () => {
    const text = '  Überschrift \r\n\n\tbody \u{1f600}\n\n\n'
    const answer = await write({
      commit_message: text,
      author_name: 'Ada <L>',
      author_email: 'ada@example.org\n',
      actions: [create('author.txt')],
      stats: false,
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      message: text,
      author_name: 'Ada L',
      author_email: 'ada@example.org',
      committer_name: 'developer person',
      committer_email: 'developer@example.com',
    })
    expect(answer.body).not.toHaveProperty('stats')
  })

  test("uses the caller's commit e-mail", async () => {
    await place.developer.put('/user/preferences', {})
    const { database } = place.server.app.platform
    const profile = JSON.stringify({ commit_email: '_private' })
    await database.write((tx) =>
      tx.updateTable('users').set({ profile }).where('id', '=', place.developer.id).execute(),
    )
    const answer = await write({ actions: [create('private.txt')] })
    expect(answer.body.author_email).toMatch(new RegExp(`^${place.developer.id}-developer@users\\.noreply\\.`))
    const none = JSON.stringify({})
    await database.write((tx) =>
      tx.updateTable('users').set({ profile: none }).where('id', '=', place.developer.id).execute(),
    )
  })

  test('accepts forms and JSON', async () => {
    const form = new URLSearchParams({
      branch: 'main',
      commit_message: 'by form',
      'actions[0][action]': 'create',
      'actions[0][file_path]': 'form/a.txt',
      'actions[0][content]': 'a + b & c\n',
      'actions[1][action]': 'create',
      'actions[1][file_path]': 'form/b.sh',
      'actions[1][execute_filemode]': 'on',
    })
    expect((await place.developer.post(commitsOf(demo), form)).body.message).toBe('by form')
    const listed = 'branch=main&commit_message=x&actions[][action]=move&actions[][previous_path]=form/a.txt'
    const moving = `${listed}&actions[][file_path]=form/c.txt&actions[][action]=delete&actions[][file_path]=form/b.sh`
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect((await place.developer.post(commitsOf(demo), moving, { headers })).status).toBe(201)
    const files = await filesAt(place, demo)
    expect(files['form/c.txt']).toBe('a + b & c\n')
    expect(files).not.toHaveProperty('form/b.sh')
    const multipart = new FormData()
    for (const [name, value] of Object.entries({ branch: 'main', commit_message: 'parts' })) multipart.set(name, value)
    multipart.set('actions', JSON.stringify([create('form/d.txt')]))
    expect((await place.developer.post(commitsOf(demo), multipart)).status).toBe(201)
  })

  test('decodes base64 content, and refuses invalid base64', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 254, 0])
    const lines = `${bytes.toString('base64').slice(0, 4)}\n${bytes.toString('base64').slice(4)}\n`
    const answer = await write({
      actions: [
        { ...create('bytes.bin', lines), encoding: 'base64' },
        { ...create('bare.bin', 'YQ'), encoding: 'base64' },
        { ...create('empty.bin', ''), encoding: 'base64' },
      ],
    })
    expect(answer.status).toBe(201)
    const raw = await place.owner.get(`/projects/${demo.id}/repository/commits/${answer.body.id}/diff`)
    expect(raw.body.map((file: { new_path: string }) => file.new_path)).toEqual(['bare.bin', 'bytes.bin', 'empty.bin'])
    for (const content of ['a', 'YQ=', 'YQ===', 'Y=Q=', 'Y-_=', 'héé=', '====', '=']) {
      const refused = await write({ actions: [create('fine.txt'), { ...create('x', content), encoding: 'base64' }] })
      expect([content, refused.status, refused.body.error]).toEqual([content, 400, 'actions[1][content] is invalid'])
    }
  })
})

describe('the start of a commit', () => {
  const onBranch = (branch: string, body: Record<string, unknown>, of = demo) => write({ branch, ...body }, of)
  const headOf = async (branch: string, of = demo) =>
    (await place.owner.get(`/projects/${of.id}/repository/branches/${encodeURIComponent(branch)}`)).body.commit?.id

  test('is another branch or a commit, for a new branch', async () => {
    const main = await headOf('main')
    const branched = await onBranch('new/branch', { start_branch: 'main', actions: [create('branched.txt')] })
    expect([branched.status, branched.body.parent_ids]).toEqual([201, [main]])
    expect(await headOf('new/branch')).toBe(branched.body.id)
    expect(await headOf('main')).toBe(main)
    const listed = async (query = '') =>
      (await place.owner.get(`${commitsOf(demo)}${query}`)).body.map(({ id }: { id: string }) => id)
    expect(await listed()).not.toContain(branched.body.id)
    expect(await listed('?all=true')).toContain(branched.body.id)
    const [parent] = (await place.owner.get(`${commitsOf(demo)}/${main}`)).body.parent_ids
    const older = await onBranch('older', { start_sha: parent, actions: [create('older.txt')] })
    expect(older.body.parent_ids).toEqual([parent])
  })

  test('must exist', async () => {
    const actions = [create('x')]
    const nowhere = 'You can only create or edit files when you are on a branch'
    const taken = "A branch called 'main' already exists. Switch to that branch in order to make changes"
    const absent = 'f'.repeat(40)
    await onBranch('aside', { start_branch: 'main', actions: [create('aside.txt')] })
    const sha = await headOf('aside')
    const refused: [branch: string, body: Record<string, unknown>, sentence: string][] = [
      ['fresh', { actions }, nowhere],
      ['fresh', { actions, start_branch: 'none' }, nowhere],
      ['fresh', { actions, start_branch: '../main' }, nowhere],
      ['fresh', { actions, start_branch: '-x' }, nowhere],
      ['main', { actions, start_branch: 'none' }, nowhere],
      ['main', { actions, start_branch: 'aside' }, taken],
      ['main', { actions, start_sha: sha }, taken],
      ['fresh', { actions, start_sha: absent }, `Cannot find start_sha '${absent}'`],
      ['fresh', { actions, start_sha: 'main' }, "Invalid start_sha 'main'"],
      ['fresh', { actions, start_sha: '--help' }, "Invalid start_sha '--help'"],
      ['bad name', { actions, start_branch: 'main' }, 'Branch name is invalid'],
      ['-x', { actions, start_branch: 'main' }, 'Branch name is invalid'],
      ['refs/heads/x', { actions, start_branch: 'main' }, 'Branch name is invalid'],
      ['a..b', { actions, start_branch: 'main' }, 'Branch name is invalid'],
      ['main/below', { actions, start_branch: 'main' }, "Branch name conflicts with existing branch 'main'"],
      [
        absent,
        { actions, start_branch: 'main' },
        'You cannot create a branch with a 40-character hexadecimal branch name.',
      ],
    ]
    for (const [branch, body, sentence] of refused) {
      const answer = await onBranch(branch, body)
      expect([branch, body, answer.status, answer.body]).toEqual([branch, body, 400, message(sentence)])
    }
    const both = await onBranch('fresh', { actions, start_branch: 'main', start_sha: sha })
    expect([both.status, both.body]).toEqual([
      400,
      {
        message: { start_branch: ['are mutually exclusive'], start_sha: ['are mutually exclusive'] },
        error: 'start_branch, start_sha are mutually exclusive',
      },
    ])
  })

  test('replaces the branch when forced', async () => {
    const main = await headOf('main')
    await onBranch('forced', { start_branch: 'main', actions: [create('lost.txt')] })
    const answer = await onBranch('forced', { start_branch: 'main', force: true, actions: [create('instead.txt')] })
    expect([answer.status, answer.body.parent_ids]).toEqual([201, [main]])
    expect(await headOf('forced')).toBe(answer.body.id)
    expect(await filesAt(place, demo, 'forced')).not.toHaveProperty('lost.txt')
  })

  test('does not replace a protected branch', async () => {
    const made = await makeProject(place, 'guarded', { a: 'a\n' })
    const rule = { name: 'main', push_access_level: 30 }
    expect((await place.owner.post(`/projects/${made.id}/protected_branches`, rule)).status).toBe(201)
    await onBranch('aside', { start_branch: 'main', actions: [create('x')] }, made)
    const answer = await onBranch('main', { start_branch: 'aside', force: true, actions: [create('y')] }, made)
    expect(answer.status).toBe(201)
    const back = await onBranch('main', { start_sha: answer.body.parent_ids[0], force: true, actions: [] }, made)
    expect(back.body.error).toBe('actions is empty')
    const first = (await place.owner.get(`${commitsOf(made)}?ref_name=main`)).body.at(-1).id
    const forced = await onBranch('main', { start_sha: first, force: true, actions: [create('z')] }, made)
    expect([forced.status, forced.body]).toEqual([
      400,
      message('You are not allowed to force push code to a protected branch on this project.'),
    ])
  })

  test('is absent in an empty repository, whose default branch is created', async () => {
    const empty = await makeProject(place, 'empty')
    const answer = await onBranch('trunk', { start_branch: 'whatever', actions: [create('a')] }, empty)
    expect([answer.status, answer.body.parent_ids]).toEqual([201, []])
    expect((await place.owner.get(`/projects/${empty.id}`)).body.default_branch).toBe('trunk')
    const update = [{ action: 'update', file_path: 'a', content: 'x' }]
    const other = await makeProject(place, 'empty-too')
    expect((await onBranch('main', { actions: update }, other)).body).toEqual(
      message("A file with this name doesn't exist"),
    )
    expect((await place.owner.get(commitsOf(other))).body).toEqual([])
  })
})

describe('access', () => {
  test('is refused with the reason', async () => {
    const actions = [create('x')]
    const reading = place.server.as(await place.server.make.token(place.developer, ['read_api']))
    expect((await write({ actions }, demo, reading)).body.error).toBe('insufficient_scope')
    await place.owner.post(`/projects/${demo.id}/protected_branches`, { name: 'kept-*' })
    const answer = await write({ branch: 'kept-x', start_branch: 'main', actions })
    expect([answer.status, answer.body]).toEqual([
      403,
      message('403 Forbidden - You are not allowed to push into this branch'),
    ])
    expect((await write({ branch: 'kept-x', start_branch: 'main', actions }, demo, place.owner)).status).toBe(201)
  })

  test('is refused while the repository is being moved', async () => {
    const moving = await makeProject(place, 'moving-away', { a: 'a\n' })
    const { database } = place.server.app.platform
    await database.write((tx) =>
      tx.updateTable('repositories').set({ read_only: true }).where('project_id', '=', moving.id).execute(),
    )
    expect((await write({ actions: [create('x')] }, moving)).body).toEqual(
      message('The repository is temporarily read-only. Please try again later.'),
    )
  })
})
