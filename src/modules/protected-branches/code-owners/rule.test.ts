import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openWorkTree,
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
  type WorkTree,
} from '../../../testing/index.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const start =
  'Pushes to protected branches that contain changes to files that match patterns defined in `CODEOWNERS` are disabled. Matching patterns: '

type Owned = ProjectWithMembers & AsyncDisposable & { work: WorkTree }

/** A project whose `main` requires code owner approval, with a `CODEOWNERS` file at a path. */
async function owned(file: (people: ProjectWithMembers) => string, place = 'CODEOWNERS'): Promise<Owned> {
  const people = await projectWithMembers(server)
  const work = await openWorkTree(server, people.project)
  await work.commit('owned', { [place]: file(people), 'a.rb': '1', 'docs/a': '1', free: '1' })
  expect(await work.push(people.owner, 'main')).toMatchObject({ isAccepted: true })
  const { status } = await people.owner.patch(`/projects/${people.project.id}/protected_branches/main`, {
    code_owner_approval_required: true,
    allowed_to_push: [{ access_level: 30 }],
  })
  expect(status).toBe(200)
  return { ...people, work, [Symbol.asyncDispose]: work[Symbol.asyncDispose] }
}

/** Pushes files as a user. @returns the refusal, or null when the push is accepted */
async function pushFiles(
  { work }: { work: WorkTree },
  person: Person,
  files: Record<string, string>,
): Promise<string | null> {
  const before = await work.run('rev-parse', 'HEAD')
  await work.commit('changed', files)
  const { isAccepted, sentences } = await work.push(person, 'main')
  if (!isAccepted) await work.run('reset', '--quiet', '--hard', before)
  return isAccepted ? null : sentences.join('\n')
}

describe('a push to a branch that requires code owner approval', () => {
  test('passes when the pusher owns every file that has owners', async () => {
    await using people = await owned(
      ({ developer, maintainer }) =>
        `*.rb @${developer.username.toUpperCase()}\n/docs/ @${maintainer.username} # both\n`,
      'docs/CODEOWNERS',
    )
    const { developer, maintainer } = people
    expect(await pushFiles(people, developer, { free: '2' })).toBeNull()
    expect(await pushFiles(people, developer, { 'a.rb': '2', free: '3' })).toBeNull()
    expect(await pushFiles(people, developer, { 'docs/a': '2', free: '4' })).toBe(`${start}/docs/`)
    expect(await pushFiles(people, maintainer, { 'docs/a': '3', 'x/new.rb': '1' })).toBe(`${start}*.rb`)
    expect(await pushFiles(people, people.owner, { 'docs/a': '3', 'a.rb': '3' })).toContain(start)
    expect(await pushFiles(people, maintainer, { 'docs/a': '3' })).toBeNull()
    expect(await people.work.push(developer, 'main:refs/heads/unasked')).toMatchObject({ isAccepted: true })
  })

  test('uses the file of the branch before the push, at the first of three paths', async () => {
    await using people = await owned(() => '* @nobody-at-all\n', '.gitlab/CODEOWNERS')
    const { owner, project } = people
    expect(await pushFiles(people, owner, { '.gitlab/CODEOWNERS': '' })).toBe(`${start}*`)
    expect(await pushFiles(people, owner, { CODEOWNERS: '' })).toBe(`${start}*`)
    const path = `/projects/${project.id}/protected_branches/main`
    await owner.patch(path, { code_owner_approval_required: false })
    expect(await pushFiles(people, owner, { CODEOWNERS: '\n' })).toBeNull()
    await owner.patch(path, { code_owner_approval_required: true })
    expect(await pushFiles(people, owner, { free: 'any' })).toBeNull()
  })

  test('matches owners by e-mail and by group, and ignores optional sections', async () => {
    const boss = await server.user('boss')
    const group = await server.make.group('team', boss)
    await using people = await owned(
      ({ developer }) =>
        `docs/ @team/inner @Team\n*.rb ${developer.username}@Example.com\n[Both]\nfree @team\n^[Maybe]\n*.css @nobody\n`,
    )
    const { developer, owner } = people
    expect(await pushFiles(people, developer, { 'docs/a': '2' })).toBe(`${start}docs/`)
    await server.make.member({ namespace: group }, developer, 20)
    expect(await pushFiles(people, developer, { 'docs/a': '2' })).toBe(`${start}docs/`)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('members').set({ access_level: 30 }).where('user_id', '=', developer.id).execute(),
    )
    expect(await pushFiles(people, developer, { 'docs/a': '2', 'a.rb': '9', free: '9', 'a.css': '' })).toBeNull()
    expect(await pushFiles(people, owner, { 'a.css': '1' })).toBeNull()
    expect(await pushFiles(people, owner, { 'a.rb': '1' })).toBe(`${start}*.rb`)
  })

  test('that creates the branch is compared with the commit where the branch started', async () => {
    await using people = await owned(() => '*.rb @nobody-at-all\n')
    const { work, owner, project } = people
    const rule = { name: 'stable/*', push_access_level: 30, code_owner_approval_required: true }
    expect((await owner.post(`/projects/${project.id}/protected_branches`, rule)).status).toBe(201)
    expect(await work.push(owner, 'main:refs/heads/stable/1')).toMatchObject({ isAccepted: true })
    await work.commit('changed', { free: 'new' })
    expect(await work.push(owner, 'HEAD:refs/heads/stable/2')).toMatchObject({ isAccepted: true })
    await work.commit('changed', { 'a.rb': 'new' })
    expect(await work.push(owner, 'HEAD:refs/heads/stable/3')).toMatchObject({
      isAccepted: false,
      sentences: [`${start}*.rb`],
    })
    expect(await work.push(owner, 'HEAD:refs/heads/free')).toMatchObject({ isAccepted: true })
  })

  test('that takes too much effort to check is refused', async () => {
    await using people = await owned(() => `*${'a'.repeat(1_500)}b @nobody-at-all\n`)
    const sentence =
      'The push is too large to be checked against `CODEOWNERS`. Push fewer changes at a time, or simplify the file.'
    const file_path = encodeURIComponent('a'.repeat(3_900))
    const file = { branch: 'main', content: 'x', commit_message: 'm' }
    const made = await people.owner.post(`/projects/${people.project.id}/repository/files/${file_path}`, file)
    expect([made.status, made.body]).toEqual([400, { message: sentence }])
    expect(await pushFiles(people, people.owner, { 'a.rb': '2' })).toBeNull()
  })

  test('through the API is checked in the same way', async () => {
    await using people = await owned(() => '*.rb @nobody-at-all\n')
    const file = { branch: 'main', content: 'x', commit_message: 'm' }
    const path = `/projects/${people.project.id}/repository/files`
    expect(await people.owner.post(`${path}/new.rb`, file)).toMatchObject({
      status: 400,
      body: { message: `${start}*.rb` },
    })
    expect((await people.owner.post(`${path}/new.txt`, file)).status).toBe(201)
  })

  test('shows at most ten patterns', async () => {
    const patterns = Array.from({ length: 30 }, (_, index) => `f${index}`)
    await using people = await owned(() => patterns.map((pattern) => `/${pattern} @nobody-at-all\n`).join(''))
    const files = Object.fromEntries(patterns.map((pattern) => [pattern, 'x']))
    const told = await pushFiles(people, people.owner, files)
    expect(told?.slice(start.length).split(', ')).toHaveLength(10)
  })
})
