import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('olga')
})
afterAll(() => server.stop())

const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const refused = (message: string) => ({ status: 422, body: { message } })
const already = refused('Group is already archived!')
const isNot = refused('Group is not archived!')
const archivedAbove = refused('Cannot archive group since one of the ancestors is already archived!')
const unarchivedAbove = refused('Cannot unarchive group since one of the ancestors is archived!')
const projectAbove = refused('Cannot unarchive project since one of the ancestors is archived.')

/** A group with a group that has a group, and a project in each. */
async function tree(name: string) {
  const top = await server.make.group(name, owner)
  const sub = await server.make.group('sub', owner, { parent: top })
  const deep = await server.make.group('deep', owner, { parent: sub })
  const groups = [top, sub, deep] as const
  const thing = (namespace: (typeof groups)[number]) => server.make.project('thing', owner, { namespace })
  const [inTop, inSub, inDeep] = [await thing(top), await thing(sub), await thing(deep)]
  const projects = [inTop, inSub, inDeep]
  /** Which are archived, from the top down: groups, then projects. */
  const archived = async () => {
    const paths = [...groups.map(({ id }) => `/groups/${id}`), ...projects.map(({ id }) => `/projects/${id}`)]
    const answers = await Promise.all(paths.map((path) => owner.get(path)))
    return answers.map(({ body }) => body.archived)
  }
  return { top, sub, deep, groups, inTop, inSub, inDeep, projects, archived }
}

const archive = (place: 'groups' | 'projects', { id }: { id: number }) => owner.post(`/${place}/${id}/archive`)
const unarchive = (place: 'groups' | 'projects', { id }: { id: number }) => owner.post(`/${place}/${id}/unarchive`)
const idsOf = ({ body }: Answer) => body.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)
const [all, none] = [Array(6).fill(true), Array(6).fill(false)]

describe('archiving a group', () => {
  test('archives everything below until it is unarchived', async () => {
    const { top, sub, archived } = await tree('whole')
    const beside = await tree('beside')
    expect(await archive('groups', top)).toMatchObject({ status: 201, body: { id: top.id, archived: true } })
    expect([await archived(), await beside.archived()]).toEqual([all, none])
    expect([await archive('groups', top), await archive('groups', sub)]).toMatchObject([already, archivedAbove])
    expect(await unarchive('groups', sub)).toMatchObject(unarchivedAbove)
    expect(await unarchive('groups', top)).toMatchObject({ status: 201, body: { id: top.id, archived: false } })
    expect(await archived()).toEqual(none)
    expect([await unarchive('groups', top), await unarchive('groups', sub)]).toMatchObject([isNot, isNot])
  })

  test('of a group below archives nothing above', async () => {
    const { sub, archived } = await tree('lower')
    await archive('groups', sub)
    expect(await archived()).toEqual([false, true, true, false, true, true])
  })

  test('ends with what is archived itself still archived', async () => {
    const { top, sub, deep, inSub, inDeep, archived } = await tree('kept')
    await archive('groups', deep)
    await archive('projects', inSub)
    await archive('groups', top)
    expect(await archived()).toEqual(all)
    expect(await archive('groups', deep)).toMatchObject(already)
    expect(await unarchive('groups', deep)).toMatchObject(unarchivedAbove)
    await unarchive('groups', top)
    expect(await archived()).toEqual([false, false, true, false, true, true])
    expect(await unarchive('projects', inDeep)).toMatchObject(projectAbove)
    expect(await unarchive('groups', deep)).toMatchObject({ status: 201, body: { archived: false } })
    expect(await unarchive('projects', inSub)).toMatchObject({ status: 201, body: { archived: false } })
    expect(await archived()).toEqual(none)
    expect((await owner.put(`/groups/${sub.id}`, { description: 'again' })).status).toBe(200)
  })

  test('lets a project below be archived itself, which then stays so', async () => {
    const { top, inTop, archived } = await tree('own')
    await archive('groups', top)
    expect(await unarchive('projects', inTop)).toMatchObject(projectAbove)
    expect(await archive('projects', inTop)).toMatchObject({ status: 201, body: { archived: true } })
    expect(await unarchive('projects', inTop)).toMatchObject(projectAbove)
    await unarchive('groups', top)
    expect(await archived()).toEqual([false, false, false, true, false, false])
  })

  test('is for owners, and not for groups that are marked for deletion', async () => {
    const { top, inTop, archived } = await tree('rights')
    const maintainer = await server.user('rights-maintainer')
    await server.make.member({ namespace: top }, maintainer, 40)
    for (const what of ['archive', 'unarchive']) {
      expect(await maintainer.post(`/groups/${top.id}/${what}`)).toMatchObject(forbidden)
    }
    expect(await archived()).toEqual(none)
    await owner.delete(`/groups/${top.id}`)
    expect([await archive('groups', top), await unarchive('groups', top)]).toMatchObject([forbidden, forbidden])
    await owner.post(`/groups/${top.id}/restore`)
    await archive('groups', top)
    expect((await owner.delete(`/projects/${inTop.id}`)).status).toBe(202)
    expect((await owner.delete(`/groups/${top.id}`)).status).toBe(202)
    expect(await unarchive('groups', top)).toMatchObject(forbidden)
    await owner.post(`/groups/${top.id}/restore`)
    expect(await archived()).toEqual(all)
  })

  test('takes as many queries for many projects as for few', async () => {
    const [few, many] = [await tree('few'), await tree('many')]
    for (let number = 0; number < 20; number += 1) {
      await server.make.project(`p${number}`, owner, { namespace: many.sub })
    }
    for (const change of [archive, unarchive]) {
      const cost = ({ top }: typeof few) => queriesOf(server, () => change('groups', top))
      expect(await cost(many)).toBe(await cost(few))
    }
  })

  test('at once from two sides has one outcome', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { top, sub, archived } = await tree(`race${round}`)
      const answers = await Promise.all([archive('groups', top), archive('groups', sub)])
      expect(answers[0].status).toBe(201)
      expect(await archived()).toEqual(all)
      const isOwn = answers[1].status === 201
      await unarchive('groups', top)
      expect(await archived()).toEqual(isOwn ? [false, true, true, false, true, true] : none)
    }
  })
})

describe('an archived group', () => {
  test('refuses writes in it and below', async () => {
    const { top, groups, projects } = await tree('refusing')
    const other = await server.make.group('refusing-other', owner)
    const outside = await server.make.project('refusing-outside', owner)
    await archive('groups', top)
    for (const { id } of groups) {
      expect(await owner.put(`/groups/${id}`, { description: 'x' })).toMatchObject(forbidden)
      expect(await owner.post(`/groups/${id}/labels`, { name: 'x', color: '#fff' })).toMatchObject(forbidden)
      expect(await owner.post(`/groups/${id}/share`, { group_id: other.id, group_access: 30 })).toMatchObject(forbidden)
      expect(await owner.post(`/groups/${id}/transfer`, { group_id: other.id })).toMatchObject(forbidden)
      expect(await owner.post('/groups', { name: 'n', path: 'n', parent_id: id })).toMatchObject(forbidden)
      expect((await owner.post('/projects', { name: 'n', namespace_id: id })).status).toBe(400)
      expect((await owner.post(`/groups/${other.id}/transfer`, { group_id: id })).status).toBe(400)
      expect((await owner.put(`/projects/${outside.id}/transfer`, { namespace: id })).status).toBe(400)
      expect((await server.root.post(`/groups/${id}/projects/${outside.id}`)).status).toBe(400)
    }
    for (const { id } of projects) {
      expect(await owner.put(`/projects/${id}`, { description: 'x' })).toMatchObject(forbidden)
      expect(await owner.post(`/projects/${id}/issues`, { title: 'x' })).toMatchObject(forbidden)
      expect(await owner.put(`/projects/${id}/transfer`, { namespace: other.id })).toMatchObject(forbidden)
      expect((await server.root.post(`/groups/${other.id}/projects/${id}`)).status).toBe(403)
      expect((await owner.get(`/projects/${id}/issues`)).status).toBe(200)
    }
    const places = await owner.get(`/groups/${other.id}/transfer_locations`)
    const ofProject = await owner.get(`/projects/${outside.id}/transfer_locations`)
    for (const { id } of groups) expect([...idsOf(places), ...idsOf(ofProject)]).not.toContain(id)
    await unarchive('groups', top)
    expect((await owner.post('/projects', { name: 'n', namespace_id: top.id })).status).toBe(201)
    expect((await owner.put(`/projects/${outside.id}/transfer`, { namespace: top.id })).status).toBe(200)
  })

  test('is left out of lists with archived=false, and alone in those with archived=true', async () => {
    const { top, sub, deep, inTop, inSub, inDeep } = await tree('listed')
    const other = await server.make.group('listed-other', owner, { parent: top })
    await archive('groups', sub)
    const ids = (...rows: readonly { id: number }[]) => rows.map(({ id }) => id).sort((a, b) => a - b)
    const within = `/groups/${top.id}`
    const lists: [path: string, archived: number[], others: number[]][] = [
      ['/groups?search=listed', [], ids(top, other)],
      [`${within}/subgroups?`, ids(sub), ids(other)],
      [`${within}/descendant_groups?`, ids(sub, deep), ids(other)],
      [`${within}/projects?include_subgroups=true`, ids(inSub, inDeep), ids(inTop)],
    ]
    for (const [path, archived, others] of lists) {
      expect([path, idsOf(await owner.get(`${path}&archived=true`))]).toEqual([path, archived])
      expect([path, idsOf(await owner.get(`${path}&archived=false`))]).toEqual([path, others])
    }
    const issues = async () => (await owner.get(`${within}/issues`)).body.length
    expect((await owner.post(`/projects/${inTop.id}/issues`, { title: 'seen' })).status).toBe(201)
    expect(await issues()).toBe(1)
    await archive('groups', top)
    expect(await issues()).toBe(0)
  })
})
