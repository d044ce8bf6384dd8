import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tagRef, zeroOid } from '../../infra/git/index.ts'
import { changeRefs, refsOf, repositoryOfProject } from '../../platform/repositories/index.ts'
import {
  type Client,
  openWorkTree,
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
  type WorkTree,
} from '../../testing/index.ts'

let server: TestServer
let people: ProjectWithMembers
let base: string

beforeAll(async () => {
  server = await startTestServer()
  people = await projectWithMembers(server)
  base = `/projects/${people.project.id}/protected_tags`
})
afterAll(() => server.stop())

const protect = (body: unknown, client: Client = people.maintainer, path = base) => client.post(path, body)

describe('protected tags', () => {
  test('are created, listed by name, read and deleted', async () => {
    const made = await protect({ name: 'v*' })
    expect(made).toMatchObject({ status: 201 })
    expect(made.body).toEqual({
      name: 'v*',
      create_access_levels: [
        {
          id: expect.any(Number),
          access_level: 40,
          access_level_description: 'Maintainers',
          user_id: null,
          group_id: null,
        },
      ],
    })
    const named = await protect({
      name: 'B',
      create_access_level: 0,
      allowed_to_create: [{ user_id: people.developer.id }, { access_level: 30 }],
    })
    const whom = named.body.create_access_levels.map((entry: Record<string, unknown>) => [
      entry.access_level,
      entry.user_id,
    ])
    expect(whom).toEqual([
      [0, null],
      [null, people.developer.id],
      [30, null],
    ])
    const listed = await people.maintainer.get(`${base}?per_page=1`)
    expect(listed.body).toEqual([named.body])
    expect(listed.headers.get('x-total')).toBe('2')
    expect((await people.maintainer.get(`${base}/v*`)).body).toEqual(made.body)
    for (const name of ['v1', 'V*', 'nope'])
      expect(await people.maintainer.get(`${base}/${name}`)).toMatchObject({
        status: 404,
        body: { message: '404 Not found' },
      })
    const headers = { 'If-Unmodified-Since': 'Wed, 01 Jan 2020 00:00:00 GMT' }
    expect((await people.maintainer.delete(`${base}/v*`, { headers })).status).toBe(412)
    expect(await people.maintainer.delete(`${base}/v*`)).toMatchObject({ status: 204, body: '' })
    expect(await people.maintainer.delete(`${base}/v*`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })

  test('report invalid values', async () => {
    expect((await protect({})).body).toEqual({
      message: '400 (Bad request) "name" not given',
      error: 'name is missing',
    })
    expect((await protect({ name: 'x', create_access_level: 60 })).body).toEqual({
      message: { create_access_level: ['does not have a valid value'] },
      error: 'create_access_level does not have a valid value',
    })
    expect((await protect({ name: 'x', allowed_to_create: [{ access_level: 60 }] })).body.error).toBe(
      'allowed_to_create[0][access_level] does not have a valid value',
    )
    await protect({ name: 'twice' })
    const answers: [object, string[]][] = [
      [{ name: ' ' }, ["Name can't be blank"]],
      [{ name: 'a..b' }, ['Name is invalid']],
      [{ name: 'v1\n' }, ['Name is invalid']],
      [{ name: 'y'.repeat(256) }, ['Name is too long (maximum is 255 characters)']],
      [{ name: 'twice' }, ['Name has already been taken']],
      [
        { name: 'x', allowed_to_create: [{}] },
        ['Create access levels must set exactly one of access_level, user_id, group_id or deploy_key_id'],
      ],
      [
        { name: 'x', allowed_to_create: [{ user_id: people.outsider.id }] },
        ['Create access levels user is not a member of the project'],
      ],
      [
        { name: 'x', allowed_to_create: [{ group_id: 1 }] },
        ['Create access levels group does not have access to the project'],
      ],
      [
        { name: 'x', allowed_to_create: [{ deploy_key_id: 1 }] },
        ['Create access levels deploy key is not enabled for this project'],
      ],
      [
        { name: 'x', create_access_level: 30, allowed_to_create: [{ access_level: 30 }] },
        ['Create access levels access level has already been taken'],
      ],
    ]
    for (const [body, message] of answers) expect(await protect(body)).toMatchObject({ status: 422, body: { message } })
    const many = await Promise.all(Array.from({ length: 5 }, () => protect({ name: 'contended' })))
    expect(many.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422])
  })

  test('take a constant number of queries', async () => {
    const other = await projectWithMembers(server)
    const path = `/projects/${other.project.id}/protected_tags`
    const make = async (count: number) => {
      for (let index = 0; index < count; index += 1)
        await protect(
          { name: `t${count}-${index}`, allowed_to_create: [{ user_id: other.developer.id }] },
          other.owner,
          path,
        )
    }
    const queries = () => queriesOf(server, () => other.owner.get(`${path}?per_page=100`))
    await make(2)
    const few = await queries()
    await make(20)
    expect(await queries()).toBe(few)
  })
})

describe('a pushed tag', () => {
  const refused = async (work: WorkTree, person: Person, refspecs: string[], ...lines: string[]) =>
    expect(await work.push(person, ...refspecs)).toMatchObject({ isAccepted: false, sentences: lines })

  test('that is protected can be created where a rule grants it, and cannot be moved', async () => {
    const { project, owner, maintainer, developer } = await projectWithMembers(server)
    const rules = `/projects/${project.id}/protected_tags`
    await using work = await openWorkTree(server, project)
    await work.commit()
    await work.commit()
    expect(await work.push(owner, 'main')).toMatchObject({ isAccepted: true })
    await protect({ name: 'v*' }, owner, rules)
    const create = 'You are not allowed to create this tag as it is protected.'
    await refused(work, developer, ['main:refs/tags/v1'], create)
    await refused(work, developer, ['main:refs/tags/v1', 'main:refs/tags/free'], create)
    expect(await work.push(maintainer, 'main:refs/tags/v1')).toMatchObject({ isAccepted: true })
    await refused(work, maintainer, ['+main~1:refs/tags/v1'], 'Protected tags cannot be updated.')
    await refused(work, owner, [':refs/tags/v1'], 'Protected tags cannot be deleted.')
    expect(await work.push(developer, 'main:refs/tags/free')).toMatchObject({ isAccepted: true })
    expect(await work.push(developer, '+main~1:refs/tags/free')).toMatchObject({ isAccepted: true })
    expect(await work.push(developer, ':refs/tags/free')).toMatchObject({ isAccepted: true })
    await protect({ name: 'v2', allowed_to_create: [{ user_id: developer.id }] }, owner, rules)
    expect(await work.push(developer, 'main:refs/tags/v2')).toMatchObject({ isAccepted: true })
    await protect({ name: 'w*', create_access_level: 0 }, owner, rules)
    await refused(work, owner, ['main:refs/tags/w1'], create)
  })

  test('is checked after branches; the API deletes it for those who may create it', async () => {
    const { project, owner, developer } = await projectWithMembers(server)
    await using work = await openWorkTree(server, project)
    await work.commit()
    expect(await work.push(owner, 'main', 'main:refs/tags/old', 'main:refs/tags/kept')).toMatchObject({
      isAccepted: true,
    })
    await protect({ name: 'kept' }, owner, `/projects/${project.id}/protected_tags`)
    await work.commit()
    const branch = 'You are not allowed to push code to protected branches on this project.'
    await refused(work, developer, ['main', ':refs/tags/kept'], branch)
    const { database } = server.app.platform
    const row = (await repositoryOfProject(database.read, project.id))!
    const head = (await refsOf(server.app.platform, row)).tag('kept')!.oid
    const remove = (name: string, userId: number | null, via: 'api' | 'git') =>
      changeRefs(server.app.platform, row, [{ ref: tagRef(name)!, old: head, new: zeroOid() }], { userId, via })
    await expect(remove('old', null, 'api')).rejects.toThrow(
      'You are not allowed to change existing tags on this project.',
    )
    await expect(remove('kept', developer.id, 'api')).rejects.toThrow('Protected tags cannot be deleted.')
    await expect(remove('kept', owner.id, 'git')).rejects.toThrow('Protected tags cannot be deleted.')
    await remove('kept', owner.id, 'api')
    await remove('old', developer.id, 'api')
  })
})
