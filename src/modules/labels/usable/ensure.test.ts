import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { ProjectOrGroupRef, ProjectRow } from '../../projects/index.ts'
import { makeLabel } from '../testing.ts'
import { ensureLabels, replaceUnusableLabels } from './ensure.ts'
import { labelsByIds, prioritiesOf, setPriority, unusableLabels, usableLabels } from './store.ts'

let server: TestServer
let owner: Person
let top: NamespaceRow
let group: NamespaceRow
let project: ProjectRow
let ref: ProjectOrGroupRef

const refOf = ({ id, namespace_id }: ProjectRow) => ({ kind: 'project' as const, id, namespaceId: namespace_id })

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

let made = 0
beforeEach(async () => {
  made += 1
  top = await server.make.group(`top${made}`, owner)
  group = await server.make.group('sub', owner, { parent: top })
  project = await server.make.project('demo', owner, { namespace: group })
  ref = refOf(project)
})

const db = () => server.app.platform.database.read
const ensure = (titles: readonly string[], parent = ref) =>
  server.app.platform.database.write((tx) => ensureLabels(server.app.platform, tx, parent, titles))

describe('labels by title', () => {
  test('are those of the project, then of the nearest group', async () => {
    const far = { everywhere: await makeLabel(server, { group: top }, 'everywhere') }
    await makeLabel(server, { group: top }, 'twice')
    const near = await makeLabel(server, { group }, 'twice')
    await makeLabel(server, { group }, 'own')
    const own = await makeLabel(server, { project }, 'own')
    const other = await server.make.project('other', owner, { namespace: top })
    const foreign = await makeLabel(server, { project: other }, 'foreign')
    const titles = ['everywhere', 'twice', 'own', 'foreign', 'none']
    const found = await usableLabels(db(), ref, titles)
    const ids = Object.fromEntries([...found].map(([title, { id }]) => [title, id]))
    expect(ids).toEqual({ everywhere: far.everywhere.id, twice: near.id, own: own.id })
    const ofGroup = await usableLabels(db(), { kind: 'group', id: group.id, namespaceId: group.id }, titles)
    expect([...ofGroup.keys()].toSorted()).toEqual(['everywhere', 'own', 'twice'])
    expect(ofGroup.get('own')?.namespace_id).toBe(group.id)
    const unusable = await unusableLabels(db(), ref, [far.everywhere.id, own.id, foreign.id])
    expect(unusable.map(({ title }) => title)).toEqual(['foreign'])
    expect([...(await labelsByIds(db(), [own.id, foreign.id, 0])).keys()].toSorted()).toEqual(
      [own.id, foreign.id].toSorted(),
    )
  })
})

describe('missing labels', () => {
  test('are created in the project, in the default colour; titles that no label can have are left out', async () => {
    const inherited = await makeLabel(server, { group: top }, 'inherited')
    const found = await ensure([' new ', 'inherited', 'a,b', ' ', 'x'.repeat(256), 'new', '🦊'])
    expect([...found.keys()]).toEqual(['new', 'inherited', '🦊'])
    expect(found.get('inherited')?.id).toBe(inherited.id)
    expect(found.get('new')).toMatchObject({ project_id: project.id, namespace_id: null, color: '#6699cc' })
  })

  test('are created once by concurrent callers', async () => {
    const titles = Array.from({ length: 30 }, (_, index) => `label ${index}`)
    const shuffled = [titles, titles.toReversed(), titles, titles.toReversed()]
    const found = await Promise.all(shuffled.map((some) => ensure(some)))
    const idsOf = (labels: (typeof found)[number] | undefined) => titles.map((title) => labels?.get(title)?.id)
    for (const labels of found) expect(idsOf(labels)).toEqual(idsOf(found[0]))
    expect(new Set(idsOf(found[0])).size).toBe(titles.length)
  })

  test('can be many', async () => {
    const titles = Array.from({ length: 1_100 }, (_, index) => `many ${index}`)
    expect((await ensure(titles)).size).toBe(titles.length)
  })
})

describe('labels that a moved project no longer inherits', () => {
  test('are replaced by its own, with their priority', async () => {
    const { platform } = server.app
    const elsewhere = await server.make.group(`elsewhere${made}`, owner)
    const lost = await makeLabel(server, { group: elsewhere }, 'lost', { color: '#123456', description: 'd' })
    const doubled = await makeLabel(server, { group: elsewhere }, 'doubled')
    const kept = await makeLabel(server, { group: top }, 'doubled')
    const own = await makeLabel(server, { project }, 'own')
    await platform.database.write((tx) => setPriority(tx, project.id, lost.id, 3))
    const replaced = await platform.database.write((tx) =>
      replaceUnusableLabels(platform, tx, ref, [lost.id, doubled.id, own.id]),
    )
    expect([...replaced.keys()]).toEqual([lost.id, doubled.id])
    expect(replaced.get(doubled.id)).toBe(kept.id)
    const created = (await usableLabels(db(), ref, ['lost'])).get('lost')
    expect(created).toMatchObject({ project_id: project.id, color: '#123456', description: 'd' })
    expect(replaced.get(lost.id)).toBe(created?.id)
    const priorities = await prioritiesOf(db(), project.id, [lost.id, created?.id ?? 0])
    expect([...priorities]).toEqual([[created?.id, 3]])
  })
})

describe('the priority of a label', () => {
  test.each(['project', 'group'] as const)('is deleted when the %s moves away from its group', async (moved) => {
    const target = await server.make.group(`target${moved}`, owner)
    const lost = await makeLabel(server, { group: top }, 'lost')
    const own = await makeLabel(server, { project }, 'own')
    const near = await makeLabel(server, { group }, 'near')
    const labels = `/projects/${project.id}/labels`
    for (const { title } of [lost, own, near]) await owner.put(`${labels}/${title}`, { priority: 1 })
    const answer =
      moved === 'group'
        ? await owner.post(`/groups/${group.id}/transfer`, { group_id: target.id })
        : await owner.put(`/projects/${project.id}/transfer`, { namespace: target.id })
    expect(answer.status).toBeLessThan(300)
    const priorities = await prioritiesOf(db(), project.id, [lost.id, own.id, near.id])
    expect([...priorities.keys()].toSorted()).toEqual((moved === 'group' ? [own.id, near.id] : [own.id]).toSorted())
  })
})
