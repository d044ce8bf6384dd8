import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import { makeMilestone } from './testing.ts'

let server: TestServer
let owner: Person
let top: NamespaceRow
let base: Record<'project' | 'group' | 'top', string>

const titlesOf = ({ body }: Answer): string[] => body.map(({ title }: { title: string }) => title)
const list = async (of: keyof typeof base, query = '', person = owner) =>
  titlesOf(await person.get(`${base[of]}?${query}`))

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  top = await server.make.group('top', owner)
  const group = await server.make.group('sub', owner, { parent: top })
  const project = await server.make.project('demo', owner, { namespace: group })
  base = {
    top: `/groups/${top.id}/milestones`,
    group: `/groups/${group.id}/milestones`,
    project: `/projects/${project.id}/milestones`,
  }
  await makeMilestone(server, { group: top }, 'top', { due_date: '2026-06-01' })
  await makeMilestone(server, { group }, 'group', { description: 'Needle' })
  await makeMilestone(server, { project }, 'open', {})
  await makeMilestone(server, { project }, 'early', { start_date: '2026-01-01', due_date: '2026-01-31' })
  await makeMilestone(server, { project }, 'late', { due_date: '2026-12-31', description: 'with a needle' })
  await makeMilestone(server, { project }, 'late too', { due_date: '2026-12-31', state: 'closed' })
  await makeMilestone(server, { project }, 'begun', { start_date: '2026-03-01' })
})
afterAll(() => server.stop())

describe('a list of milestones', () => {
  test('begins with the latest due date, and ends with the newest of those without one', async () => {
    expect(await list('project')).toEqual(['late too', 'late', 'early', 'begun', 'open'])
    expect(await list('project', 'per_page=2&page=2')).toEqual(['early', 'begun'])
  })

  test('has those of the groups above and below on request', async () => {
    const all = ['late too', 'late', 'top', 'early', 'begun', 'open', 'group']
    expect(await list('project', 'include_ancestors=true')).toEqual(all)
    expect(await list('project', 'include_parent_milestones=true')).toEqual(all)
    expect(await list('group')).toEqual(['group'])
    expect(await list('group', 'include_ancestors=true')).toEqual(['top', 'group'])
    expect(await list('top', 'include_descendants=true')).toEqual(['top', 'group'])
    expect(await list('project', 'include_descendants=true')).toEqual(await list('project'))
  })

  test('has only groups below that the caller may see', async () => {
    const stranger = await server.user('stranger')
    const { database } = server.app.platform
    const open = (visibility: 'public' | 'private') =>
      database.write((tx) => tx.updateTable('namespaces').set({ visibility }).where('id', '=', top.id).execute())
    await open('public')
    expect(await list('top', 'include_descendants=true', stranger)).toEqual(['top'])
    expect((await server.anonymous.get(`${base.top}?include_descendants=true`)).body).toHaveLength(1)
    await open('private')
  })

  test.each([
    ['state=active', ['late', 'early', 'begun', 'open']],
    ['state=closed', ['late too']],
    ['state=all', ['late too', 'late', 'early', 'begun', 'open']],
    ['title=late', ['late']],
    ['title=Late', []],
    ['title=', ['late too', 'late', 'early', 'begun', 'open']],
    ['search=NEEDLE', ['late']],
    ['search=LATE', ['late too', 'late']],
    ['search=%25', []],
    ['iids[]=1&iids[]=3', ['late', 'open']],
    ['iids=2,99', ['early']],
    ['containing_date=2026-01-31', ['late too', 'late', 'early']],
    ['containing_date=2026-02-01', ['late too', 'late']],
    ['containing_date=2026-03-01T10:00:00Z', ['late too', 'late', 'begun']],
    ['containing_date=2027-01-01', ['begun']],
    ['updated_after=2999-01-01', []],
    ['updated_before=2000-01-01', []],
    ['updated_after=2000-01-01&updated_before=2999-01-01&state=closed', ['late too']],
  ])('is filtered by %s', async (query, titles) => {
    expect(await list('project', query)).toEqual(titles)
  })

  test('is filtered by the times of changes, these included', async () => {
    const at = '2026-02-03T04:05:06.000Z'
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('milestones').set({ updated_at: at }).where('title', '=', 'early').execute(),
    )
    const [before, after] = ['2026-02-03T04:05:05.999Z', '2026-02-03T04:05:06.001Z']
    expect(await list('project', `updated_before=${at}`)).toEqual(['early'])
    expect(await list('project', `updated_before=${before}`)).toEqual([])
    expect(await list('project', `updated_after=${at}&updated_before=${after}`)).toEqual(['early'])
    expect(await list('project', `updated_after=${after}`)).not.toContain('early')
  })

  test.each([
    ['state=open', 'state does not have a valid value'],
    ['iids[]=x', 'iids[0] is invalid'],
    ['containing_date=soon', 'containing_date is invalid'],
    ['updated_after=soon', 'updated_after is invalid'],
  ])('refuses %s', async (query, error) => {
    expect(await owner.get(`${base.project}?${query}`)).toMatchObject({ status: 400, body: { error } })
  })

  test.each(['project', 'group'] as const)('of a %s takes the same number of queries for any length', async (kind) => {
    const group = await server.make.group(`many-${kind}`, owner)
    const project = await server.make.project('many', owner, { namespace: group })
    const path = kind === 'project' ? `/projects/${project.id}` : `/groups/${group.id}`
    const fill = async (from: number, to: number) => {
      for (let index = from; index < to; index += 1) {
        await makeMilestone(server, kind === 'project' ? { project } : { group }, `m${index}`)
      }
    }
    await fill(0, 2)
    const ask = () => owner.get(`${path}/milestones?per_page=100&include_ancestors=true&include_descendants=true`)
    const before = await queriesOf(server, ask)
    await fill(2, 25)
    expect((await ask()).body).toHaveLength(25)
    expect(await queriesOf(server, ask)).toBe(before)
  })
})
