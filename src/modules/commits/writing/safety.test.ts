import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, git, openWorkTree, type Person } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { commitsOf, create, filesAt, makeProject, message, place, serveWritingForTests } from '../writing-testing.ts'

serveWritingForTests()

function write(of: { id: number }, actions: readonly unknown[], body: Record<string, unknown> = {}, as?: Person) {
  return (as ?? place.developer).post(commitsOf(of), { branch: 'main', commit_message: 'change', actions, ...body })
}

/** Pushes the files of a folder as a new project's `main`. */
async function push(path: string, fill: (folder: string) => Promise<unknown>): Promise<ProjectRow> {
  const project = await makeProject(place, path)
  await using work = await openWorkTree(place.server, project)
  await fill(work.folder)
  await work.commit('first')
  expect(await work.push(place.owner, 'main')).toMatchObject({ isAccepted: true })
  return project
}

describe('symbolic links', () => {
  test('are not followed: their content is a text', async () => {
    const project = await push('links', async (folder) => {
      await symlink('/etc', `${folder}/etc`)
      await symlink('../../..', `${folder}/up`)
      await mkdir(`${folder}/dir`)
      await symlink('.', `${folder}/dir/self`)
    })
    for (const [link, path] of [
      ['etc', 'etc/passwd'],
      ['up', 'up/config'],
      ['dir/self', 'dir/self/self/x'],
    ]) {
      const below = message(`Path cannot lead through a file: ${link}`)
      expect((await write(project, [create(path!)])).body).toEqual(below)
      const missing = message("A file with this name doesn't exist")
      expect((await write(project, [{ action: 'update', file_path: path, content: 'x' }])).body).toEqual(missing)
      expect((await write(project, [{ action: 'delete', file_path: path }])).body).toEqual(missing)
    }
    expect((await write(project, [create('etc')])).body).toEqual(message('A file with this name already exists'))
    const chmod = await write(project, [{ action: 'chmod', file_path: 'etc', execute_filemode: true }])
    expect(chmod.body).toEqual(message('The mode of this file cannot be changed'))
    const settings = [{ action: 'move', previous_path: 'etc', file_path: 'sub/.gitmodules' }]
    expect((await write(project, settings)).body).toEqual(message('Path cannot be that of a symbolic link'))
    const allowed = [
      { action: 'update', file_path: 'etc', content: 'elsewhere', execute_filemode: true },
      { action: 'move', previous_path: 'up', file_path: 'down' },
      { action: 'delete', file_path: 'dir/self' },
      create('dir/self/now-a-directory', 'x'),
    ]
    expect((await write(project, allowed)).status).toBe(201)
    expect(await filesAt(place, project)).toEqual({
      etc: '120000 elsewhere',
      down: '120000 ../../..',
      'dir/self/now-a-directory': 'x',
    })
  })
})

describe('submodules', () => {
  test('can be moved and removed, and contain no files', async () => {
    const oid = 'a'.repeat(40)
    const project = await push('with-submodule', async (folder) => {
      await writeFile(`${folder}/.gitmodules`, '[submodule "lib"]\n\tpath = lib\n\turl = https://example.org/lib\n')
      await git(folder, 'update-index', '--add', '--cacheinfo', `160000,${oid},lib`)
      await mkdir(`${folder}/lib`)
    })
    expect((await write(project, [create('lib/x')])).body).toEqual(message('Path cannot lead through a file: lib'))
    for (const action of [
      { action: 'update', file_path: 'lib', content: 'x' },
      { action: 'move', previous_path: 'lib', file_path: 'x', content: 'x' },
    ]) {
      expect((await write(project, [action])).body).toEqual(message("A file with this name doesn't exist"))
    }
    await write(project, [{ action: 'move', previous_path: 'lib', file_path: 'moved' }])
    expect((await filesAt(place, project)).moved).toBe(`160000 ${oid}`)
    await write(project, [{ action: 'delete', file_path: 'moved' }])
    expect(Object.keys(await filesAt(place, project))).toEqual(['.gitmodules'])
  })
})

describe('parallel writers', () => {
  const outcomes = (answers: readonly Answer[]) =>
    answers.map(({ status, body }) => (status === 201 ? 'made' : `${status} ${body.message}`))

  test('on one branch: all succeed, one after another, and nothing is lost', async () => {
    const project = await makeProject(place, 'crowded', { seed: '' })
    const names = Array.from({ length: 8 }, (_, index) => `file-${index}`)
    const answers = await Promise.all(names.map((name) => write(project, [create(name)])))
    expect(outcomes(answers)).toEqual(names.map(() => 'made'))
    expect(Object.keys(await filesAt(place, project)).sort()).toEqual([...names, 'seed'])
    expect((await place.owner.get(commitsOf(project))).body).toHaveLength(9)
  })

  test('on one branch: an action that no longer applies is refused with its own sentence', async () => {
    const project = await makeProject(place, 'contested', { seed: '' })
    const answers = await Promise.all(Array.from({ length: 4 }, () => write(project, [create('same')])))
    const found = outcomes(answers)
    expect(found.filter((outcome) => outcome === 'made')).toHaveLength(1)
    expect(found.filter((outcome) => outcome === '400 A file with this name already exists')).toHaveLength(3)
  })

  test('picking the same commit: one succeeds, the others get 400', async () => {
    const project = await makeProject(place, 'picked-at-once', { seed: '' })
    const aside = { branch: 'aside', start_branch: 'main' }
    const { body } = await write(project, [create('x')], aside)
    const pick = () => place.developer.post(`${commitsOf(project)}/${body.id}/cherry_pick`, { branch: 'main' })
    const answers = await Promise.all([pick(), pick(), pick()])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 201) continue
      const sentence = 'Could not update refs/heads/main. Please refresh and try again.'
      expect([answer.status, answer.body.error_code ?? answer.body.message]).toEqual([
        400,
        answer.body.error_code ? 'empty' : sentence,
      ])
    }
    expect((await place.owner.get(commitsOf(project))).body).toHaveLength(2)
  })

  test('in an empty repository: there is one first commit', async () => {
    const project = await makeProject(place, 'first')
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, index) => write(project, [create(`file-${index}`)])),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(made.filter(({ body }) => body.parent_ids.length === 0)).toHaveLength(1)
    expect(Object.keys(await filesAt(place, project))).toHaveLength(made.length)
  })

  test('on different branches: all succeed', async () => {
    const project = await makeProject(place, 'wide', { seed: '' })
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        write(project, [create('x')], { branch: `b-${index}`, start_branch: 'main' }),
      ),
    )
    expect(outcomes(answers)).toEqual(['made', 'made', 'made', 'made'])
  })
})

describe('a SHA-256 repository', () => {
  test('can be written', async () => {
    const params = { name: 'long-ids', repository_object_format: 'sha256' }
    const { body: project } = await place.owner.post('/projects', params)
    const first = await write(project, [create('a', 'a\n')], {}, place.owner)
    expect([first.status, first.body.id?.length]).toEqual([201, 64])
    const second = await write(project, [create('b', 'b\n')], {}, place.owner)
    const aside = { branch: 'aside', start_sha: first.body.id }
    expect((await write(project, [create('c', 'c\n')], aside, place.owner)).body.parent_ids).toEqual([first.body.id])
    const pick = `${commitsOf(project)}/${second.body.id}/cherry_pick`
    expect((await place.owner.post(pick, { branch: 'aside' })).status).toBe(201)
    const revert = await place.owner.post(`${commitsOf(project)}/${first.body.id}/revert`, { branch: 'aside' })
    expect(revert.body.message).toBe(`Revert "change"\n\nThis reverts commit ${first.body.id}`)
    const version = { version: '1.0.0', from: first.body.id }
    expect((await place.owner.post(`/projects/${project.id}/repository/changelog`, version)).status).toBe(200)
    const { body } = await place.owner.get(`/projects/${project.id}/repository/tree?ref=aside`)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['b', 'c'])
  })
})

describe('large files', () => {
  test('are accepted up to the limit of a body', async () => {
    const project = await makeProject(place, 'large', { seed: '' })
    const bytes = Buffer.alloc(7 * 1024 * 1024, 'abcdefghij\n')
    const file = { ...create('large.bin', bytes.toString('base64')), encoding: 'base64' }
    const answer = await write(project, [file])
    expect(answer.status).toBe(201)
    const head = await place.owner.head(`/projects/${project.id}/repository/files/large.bin?ref=main`)
    expect(head.headers.get('x-gitlab-size')).toBe(String(bytes.length))
    const tooLarge = await write(project, [create('x', 'x'.repeat(11 * 1024 * 1024))])
    expect([tooLarge.status, tooLarge.body]).toEqual([413, message('413 Request Entity Too Large')])
  })
})

describe('start_project', () => {
  let source: ProjectRow
  let fork: ProjectRow
  let forker: Person

  beforeAll(async () => {
    forker = await place.server.user('forker')
    source = await makeProject(place, 'source', { a: 'a\n' })
    await place.server.make.member({ project: source }, forker, 30)
    const { body } = await forker.post(`/projects/${source.id}/fork`)
    await place.server.app.platform.jobs.drain()
    fork = body
    const late = { branch: 'late', start_branch: 'main' }
    expect((await write(source, [create('only-in-source', 'new\n')], late)).status).toBe(201)
  })

  const start = (body: Record<string, unknown>, as = forker) => write(fork, [create('mine', 'm\n')], body, as)

  test('fetches the objects of a fork', async () => {
    const answer = await start({ branch: 'from-source', start_branch: 'late', start_project: source.full_path })
    expect([answer.status, answer.body.stats]).toEqual([201, { additions: 1, deletions: 0, total: 1 }])
    const late = await place.owner.get(`/projects/${source.id}/repository/branches/late`)
    expect(answer.body.parent_ids).toEqual([late.body.commit.id])
    expect(await filesAt({ ...place, owner: forker }, { ...fork, full_path: 'forker/source' }, 'from-source')).toEqual({
      a: 'a\n',
      'only-in-source': 'new\n',
      mine: 'm\n',
    })
    const sha = late.body.commit.id
    const bySha = await start({ branch: 'by-sha', start_sha: sha, start_project: String(source.id) })
    expect([bySha.status, bySha.body.parent_ids]).toEqual([201, [sha]])
    const same = await start({ branch: 'same', start_branch: 'main', start_project: fork.id })
    expect(same.status).toBe(201)
  })

  test('works from a fork to its source', async () => {
    await start({ branch: 'back', start_branch: 'main' })
    const body = { branch: 'contributed', start_branch: 'back', start_project: fork.id }
    expect((await write(source, [create('x')], body, forker)).status).toBe(201)
  })

  test('requires a readable project of the fork network', async () => {
    const stranger = await makeProject(place, 'stranger', { a: 'a\n' })
    await place.server.make.member({ project: stranger }, forker, 30)
    const unrelated = await start({ branch: 'x', start_branch: 'main', start_project: stranger.id })
    expect([unrelated.status, unrelated.body]).toEqual([
      403,
      message('403 Forbidden - Project is not included in the fork network for forker person / source'),
    ])
    for (const absent of ['99999', 'owner/none', 'x'.repeat(3_000), '-1', '%00'])
      expect((await start({ branch: 'x', start_project: absent })).body).toEqual(message('404 Project Not Found'))
    const guest = await place.server.user('guest-of-both')
    await place.server.make.member({ project: fork }, guest, 30)
    const body = { branch: 'x', start_branch: 'main', start_project: source.id }
    expect((await start(body, guest)).body).toEqual(message('404 Project Not Found'))
    await place.server.make.member({ project: source }, guest, 10)
    expect((await start(body, guest)).body).toEqual(message('403 Forbidden'))
  })

  test('replaces a branch only when forced', async () => {
    const body = { branch: 'main', start_branch: 'late', start_project: source.id }
    const sentence = "A branch called 'main' already exists. Switch to that branch in order to make changes"
    expect((await start(body)).body).toEqual(message(sentence))
    const nowhere = await start({ ...body, branch: 'y', start_branch: 'none' })
    expect(nowhere.body).toEqual(message('You can only create or edit files when you are on a branch'))
    expect((await start({ ...body, force: true })).status).toBe(201)
  })
})
