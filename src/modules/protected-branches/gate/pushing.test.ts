import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, zeroOid } from '../../../infra/git/index.ts'
import { changeRefs, openRow, refsOf, repositoryOfProject } from '../../../platform/repositories/index.ts'
import {
  type Person,
  type ProjectPlace,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
  treeWithTwoCommits,
  type WorkTree,
} from '../../../testing/index.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const sentences = {
  push: 'You are not allowed to push code to protected branches on this project.',
  force: 'You are not allowed to force push code to a protected branch on this project.',
  create: 'You are not allowed to create protected branches on this project.',
  createBasis: 'You can only use an existing protected branch ref as the basis of a new protected branch.',
  createByGit: 'You can only create protected branches using the web interface and API.',
  delete:
    'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
  deleteByGit: 'You can only delete protected branches using the web interface.',
  default: 'The default branch of a project cannot be deleted.',
  hexadecimal: 'You cannot create a branch with a 40-character hexadecimal branch name.',
} as const

type Cloned = ProjectWithMembers & AsyncDisposable & { work: WorkTree }

/** A project with two commits on `main`, and a clone of it. */
async function pushed(place?: ProjectPlace): Promise<Cloned> {
  const people = await projectWithMembers(server, place)
  const work = await treeWithTwoCommits(server, people)
  return { ...people, work, [Symbol.asyncDispose]: work[Symbol.asyncDispose] }
}

const rule = (people: ProjectWithMembers, body: object) =>
  people.owner
    .post(`/projects/${people.project.id}/protected_branches`, body)
    .then(({ status }) => expect(status).toBe(201))

const change = (people: ProjectWithMembers, name: string, body: object) =>
  people.owner
    .patch(`/projects/${people.project.id}/protected_branches/${encodeURIComponent(name)}`, body)
    .then(({ status }) => expect(status).toBe(200))

const branches = async ({ owner, project }: ProjectWithMembers) => {
  const { body } = await owner.get(`/projects/${project.id}/repository/branches`)
  return new Map((body as { name: string; commit: { id: string } }[]).map(({ name, commit }) => [name, commit.id]))
}

/** Expects a push to be refused with these lines for every ref, and no ref to have moved. */
async function refused(people: Cloned, person: Person, refspecs: string[], lines: string[]) {
  const before = await branches(people)
  const outcome = await people.work.push(person, ...refspecs)
  expect(outcome).toMatchObject({ isAccepted: false, sentences: lines })
  expect(outcome.stderr).toContain('pre-receive hook declined')
  expect(await branches(people)).toEqual(before)
}

describe('a push to a protected branch', () => {
  test('is refused to developers, with all other refs of the push', async () => {
    await using people = await pushed()
    const { work, developer, maintainer } = people
    await work.commit()
    await refused(people, developer, ['main'], [sentences.push])
    await refused(people, developer, ['main', 'main:refs/heads/feature/b'], [sentences.push])
    expect(await work.push(developer, 'main:refs/heads/feature/b')).toMatchObject({ isAccepted: true })
    expect(await work.push(maintainer, 'main')).toMatchObject({ isAccepted: true })
  })

  test('is accepted when any entry of any matching rule grants it', async () => {
    await using people = await pushed()
    const { work, developer, maintainer, reporter } = people
    await rule(people, { name: 'r/*', push_access_level: 0, merge_access_level: 0 })
    await work.commit()
    await refused(people, maintainer, ['main:r/1'], [sentences.create])
    await rule(people, { name: '*/1', allowed_to_push: [{ user_id: developer.id }] })
    expect(await work.push(developer, 'main:refs/heads/r/1')).toMatchObject({ isAccepted: true })
    await refused(people, maintainer, ['main:refs/heads/r/2'], [sentences.create])
    await rule(people, { name: 'r/2', allowed_to_push: [{ user_id: reporter.id }], merge_access_level: 0 })
    expect(await work.push(reporter, 'main:refs/heads/r/2')).toMatchObject({
      isAccepted: false,
      stderr: expect.stringContaining('403'),
    })
    const { database } = server.app.platform
    await database.write((tx) => tx.deleteFrom('members').where('user_id', '=', developer.id).execute())
    await work.commit()
    expect(await work.push(developer, 'main:refs/heads/r/1')).toMatchObject({ isAccepted: false })
  })

  test('by force requires a rule that allows it and the right to push', async () => {
    await using people = await pushed()
    const { work, developer, maintainer } = people
    await rule(people, { name: 'release/*', push_access_level: 30 })
    await work.commit()
    expect(await work.push(developer, 'main:refs/heads/release/1')).toMatchObject({ isAccepted: true })
    await refused(people, developer, ['+main~1:refs/heads/release/1'], [sentences.force])
    await refused(people, maintainer, ['+main~1:refs/heads/release/1'], [sentences.force])
    await change(people, 'release/*', { allow_force_push: true })
    expect(await work.push(developer, '+main~1:refs/heads/release/1')).toMatchObject({ isAccepted: true })
    await change(people, 'main', { allow_force_push: true })
    await refused(people, developer, ['+main~2:refs/heads/main'], [sentences.force])
    expect(await work.push(maintainer, '+main~2:refs/heads/main')).toMatchObject({ isAccepted: true })
  })

  test('by force is decided by the rules of the group when there are any', async () => {
    const owner = await server.user('force')
    const namespace = await server.make.group('force-group', owner)
    await using people = await pushed({ namespace })
    const { work, maintainer } = people
    await rule(people, { name: 'x', allow_force_push: true })
    expect(await work.push(maintainer, 'main:refs/heads/x')).toMatchObject({ isAccepted: true })
    const rules = `/groups/${namespace.id}/protected_branches`
    expect((await owner.post(rules, { name: '*', push_access_level: 0 })).status).toBe(201)
    await refused(people, maintainer, ['+main~1:refs/heads/x'], [sentences.force])
    expect((await owner.patch(`${rules}/*`, { allow_force_push: true })).status).toBe(200)
    await change(people, 'x', { allow_force_push: false })
    expect(await work.push(maintainer, '+main~1:refs/heads/x')).toMatchObject({ isAccepted: true })
  })
})

describe('a protected branch', () => {
  test('is created by pushers; by mergers only from protected history and through the API', async () => {
    await using people = await pushed()
    const { work, developer, maintainer, project } = people
    await rule(people, { name: 'p/*', merge_access_level: 30 })
    await refused(people, developer, ['main:refs/heads/p/1'], [sentences.createByGit])
    await work.commit()
    await refused(people, developer, ['main:refs/heads/p/1'], [sentences.createBasis])
    expect(await work.push(developer, 'main:refs/heads/feature')).toMatchObject({ isAccepted: true })
    await refused(people, developer, ['main:refs/heads/p/1'], [sentences.createBasis])
    const create = (branch: string, ref: string, who = developer) =>
      who.post(`/projects/${project.id}/repository/branches`, { branch, ref })
    expect(await create('p/1', 'feature')).toMatchObject({ status: 400, body: { message: sentences.createBasis } })
    expect((await create('p/1', 'main')).status).toBe(201)
    expect((await create('p/2', 'feature', maintainer)).status).toBe(201)
    await rule(people, { name: 'q' })
    await refused(people, developer, ['main:refs/heads/q'], [sentences.create])
    expect(await create('q', 'main')).toMatchObject({ status: 400, body: { message: sentences.create } })
    expect(await work.push(maintainer, 'main:refs/heads/q')).toMatchObject({ isAccepted: true })
  })

  test('is deleted by maintainers, and not through git', async () => {
    await using people = await pushed()
    const { work, developer, maintainer, reporter, project } = people
    await rule(people, { name: 'd/*', push_access_level: 30 })
    for (const name of ['d/1', 'd/2'])
      expect(await work.push(developer, `main:refs/heads/${name}`)).toMatchObject({ isAccepted: true })
    await refused(people, developer, [':refs/heads/d/1'], [sentences.delete])
    await refused(people, maintainer, [':refs/heads/d/1'], [sentences.deleteByGit])
    const path = `/projects/${project.id}/repository/branches/d%2F1`
    expect(await developer.delete(path)).toMatchObject({ status: 400, body: { message: sentences.delete } })
    expect((await reporter.delete(path)).status).toBe(403)
    expect((await maintainer.delete(path)).status).toBe(204)
    expect((await server.root.delete(`/projects/${project.id}/repository/branches/d%2F2`)).status).toBe(204)
    expect((await people.owner.get(`/projects/${project.id}/protected_branches/d%2F*`)).status).toBe(200)
  })

  test('is not deleted with the merged branches', async () => {
    await using people = await pushed()
    const { work, developer, owner, project } = people
    await rule(people, { name: 'keep*' })
    for (const name of ['keep', 'drop'])
      expect(await work.push(owner, `main~1:refs/heads/${name}`)).toMatchObject({ isAccepted: true })
    expect((await developer.delete(`/projects/${project.id}/repository/merged_branches`)).status).toBe(202)
    await server.app.platform.jobs.drain()
    expect([...(await branches(people)).keys()]).toEqual(['keep', 'main'])
  })
})

describe('the checks of a push', () => {
  test('run in order, each for all changes', async () => {
    await using people = await pushed()
    const { work, developer } = people
    await rule(people, { name: 'r', push_access_level: 30 })
    await rule(people, { name: 'new' })
    await work.commit()
    expect(await work.push(developer, 'main:refs/heads/r')).toMatchObject({ isAccepted: true })
    const hexadecimal = 'a'.repeat(40)
    const all = [
      'main:refs/heads/main',
      'main:refs/heads/new',
      '+main~1:refs/heads/r',
      `main:refs/heads/${hexadecimal}`,
      ':refs/heads/main',
    ]
    const wrong = (count: number) => all.slice(0, count).filter((one) => !(one === all[0] && count === 5))
    await refused(people, developer, wrong(5), [sentences.default])
    await refused(people, developer, wrong(4), [sentences.hexadecimal])
    await refused(people, developer, wrong(3), [sentences.force])
    await refused(people, developer, wrong(2), [sentences.create])
    await refused(people, developer, wrong(1), [sentences.push])
    await refused(people, developer, ['main:refs/heads/main', ':refs/heads/r'], [sentences.delete])
    expect(await work.push(developer, 'main:refs/keep-around/x')).toMatchObject({
      isAccepted: false,
      sentences: ['Pushing to refs/keep-around/x is not allowed.'],
    })
  })

  test('apply to a pusher without a role, and not to wikis', async () => {
    await using people = await pushed()
    const { database } = server.app.platform
    const row = await repositoryOfProject(database.read, people.project.id)
    const ref = branchRef('main')
    const oid = (await branches(people)).get('main')
    if (!row || !ref || !oid) throw new Error('nothing to test with')
    const snapshot = await refsOf(server.app.platform, row)
    const [parent] = (await (await openRow(server.app.platform, row)).commits([snapshot.branch('main')!.oid])).values()
    const moved = [{ ref, old: snapshot.branch('main')!.oid, new: parent!.parentOids[0]! }]
    const change = changeRefs(server.app.platform, row, moved, { userId: null, via: 'api' })
    await expect(change).rejects.toThrow(sentences.force)
    const begun = [{ ref: branchRef('other')!, old: zeroOid(), new: snapshot.branch('main')!.oid }]
    await changeRefs(server.app.platform, { ...row, kind: 'wiki' }, begun, { userId: null, via: 'git' })
  })
})

describe('a deploy key', () => {
  test('is granted by its own entry while the key and its creator are valid', async () => {
    await using people = await pushed()
    const { project, owner } = people
    const { database, clock } = server.app.platform
    const now = clock.now().toISOString()
    const keyId = await database.write(async (tx) => {
      const key = { kind: 'deploy' as const, title: 'k', key: 'k', type: 'ssh-ed25519' as const }
      const prints = { fingerprint_md5: `k${project.id}`, fingerprint_sha256: `k${project.id}` }
      const { id } = await tx
        .insertInto('keys')
        .values({ ...key, ...prints, usage_type: 'auth_and_signing', owner_id: owner.id, created_at: now })
        .returning('id')
        .executeTakeFirstOrThrow()
      const join = { key_id: id, project_id: project.id, can_push: true, created_at: now, updated_at: now }
      await tx.insertInto('deploy_key_projects').values(join).execute()
      return id
    })
    const main = (await branches(people)).get('main') as never
    let count = 0
    const push = async (name: string) => {
      count += 1
      const row = await repositoryOfProject(database.read, project.id)
      const changes = [{ ref: branchRef(`${name}${count}`)!, old: zeroOid(), new: main }]
      const writer = { userId: owner.id, via: 'git' as const, deployKeyId: keyId }
      return changeRefs(server.app.platform, row!, changes, writer).then(
        () => null,
        (error: Error) => error.message,
      )
    }
    expect(await push('free')).toBeNull()
    await rule(people, { name: 'key*' })
    expect(await push('key')).toBe(sentences.create)
    await change(people, 'key*', { allowed_to_push: [{ deploy_key_id: keyId }] })
    expect(await push('key')).toBeNull()
    const update = (values: object, table: 'keys' | 'users' | 'deploy_key_projects', where: string, id: number) =>
      database.write((tx) =>
        tx
          .updateTable(table)
          .set(values)
          .where(where as 'id', '=', id)
          .execute(),
      )
    const spoilt: [object, object, 'keys' | 'users' | 'deploy_key_projects', string, number][] = [
      [{ can_push: false }, { can_push: true }, 'deploy_key_projects', 'key_id', keyId],
      [{ expires_at: now }, { expires_at: null }, 'keys', 'id', keyId],
      [{ owner_id: null }, { owner_id: owner.id }, 'keys', 'id', keyId],
      [{ state: 'blocked' }, { state: 'active' }, 'users', 'id', owner.id],
    ]
    for (const [bad, good, table, column, id] of spoilt) {
      await update(bad, table, column, id)
      expect(await push('key'), JSON.stringify(bad)).toBe(sentences.create)
      await update(good, table, column, id)
      expect(await push('key')).toBeNull()
    }
    const stranger = await server.user(`stranger${project.id}`)
    await update({ owner_id: stranger.id }, 'keys', 'id', keyId)
    expect(await push('key')).toBe(sentences.create)
  })
})
