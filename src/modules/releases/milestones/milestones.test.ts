import { describe, expect, test } from 'vitest'
import { projectWithTwoCommits, queriesOf } from '../../../testing/index.ts'
import { makeMilestone } from '../../milestones/testing.ts'
import { create, people, releases, serveReleasesForTests, server, work } from '../testing.ts'

serveReleasesForTests()

const titlesOf = (body: { milestones: { title: string }[] }) => body.milestones.map(({ title }) => title)

/** A project with a release in a group, which is in another group. */
async function inGroups(path: string) {
  const top = await server.make.group(`${path}-top`, people.owner)
  const group = await server.make.group('sub', people.owner, { parent: top })
  const own = await projectWithTwoCommits(server, { people, path, namespace: group })
  return Object.assign(own, { top, group })
}

describe('the milestones of a release', () => {
  test('are named by titles and ids, and replaced', async () => {
    const { project } = work
    const first = await makeMilestone(server, { project }, 'm1', { due_date: '2026-01-01' })
    const second = await makeMilestone(server, { project }, 'm2')
    const named = { ref: 'main', milestones: ['m2', 'm2'], milestone_ids: [first.id, second.id] }
    const created = await create('v1', named)
    expect(created.status).toBe(201)
    expect(titlesOf(created.body)).toEqual(['m1', 'm2'])
    const shown = (await people.reporter.get(`/projects/${project.id}/milestones/${first.id}`)).body
    expect(created.body.milestones[0]).toEqual(shown)
    const path = `${releases}/v1`
    const change = async (params: object) => titlesOf((await people.developer.put(path, params)).body)
    expect(await change({ name: 'named' })).toEqual(['m1', 'm2'])
    expect(await change({ milestones: ['m2'] })).toEqual(['m2'])
    expect(await change({ milestone_ids: [first.id] })).toEqual(['m1'])
    expect(await change({ milestones: [] })).toEqual([])
    await change({ milestones: ['m1'] })
    await people.maintainer.delete(`/projects/${project.id}/milestones/${first.id}`)
    expect(titlesOf((await people.reporter.get(path)).body)).toEqual([])
  })

  test('exist in the project or in a group above it, or nothing is created', async () => {
    await using own = await inGroups('known')
    await makeMilestone(server, { group: own.top }, 'above')
    const foreign = await makeMilestone(server, { project: work.project }, 'foreign')
    const path = `${own.base}/releases`
    const refused = await people.owner.post(path, {
      ...{ tag_name: 'v1', ref: 'main' },
      milestones: ['above', 'foreign', 'Above'],
      milestone_ids: [foreign.id, 0],
    })
    expect(refused).toMatchObject({
      status: 400,
      body: { message: `Milestone(s) not found: foreign, Above, ${foreign.id}, 0` },
    })
    expect((await people.owner.get(`${own.base}/repository/tags`)).body).toEqual([])
    const created = await people.owner.post(path, { tag_name: 'v1', ref: 'main', milestones: ['above'] })
    expect(titlesOf(created.body)).toEqual(['above'])
    expect(await people.owner.put(`${path}/v1`, { milestones: ['foreign'] })).toMatchObject({ status: 400 })
    expect(titlesOf((await people.owner.get(`${path}/v1`)).body)).toEqual(['above'])
  })

  test('follow a promotion, and are dropped when the project or its group leaves the group of the milestone', async () => {
    await using own = await inGroups('moving')
    const promoted = await makeMilestone(server, { project: own.project }, 'promoted')
    await makeMilestone(server, { group: own.group }, 'promoted')
    await makeMilestone(server, { group: own.group }, 'near')
    await makeMilestone(server, { group: own.top }, 'far')
    const path = `${own.base}/releases`
    const named = { tag_name: 'v1', ref: 'main', milestone_ids: [promoted.id], milestones: ['near', 'far'] }
    await people.owner.post(path, named)
    const shown = async () => titlesOf((await people.owner.get(`${path}/v1`)).body).toSorted()
    expect((await people.owner.post(`${own.base}/milestones/${promoted.id}/promote`)).status).toBe(200)
    expect(await shown()).toEqual(['far', 'near', 'promoted'])
    expect((await people.owner.post(`/groups/${own.group.id}/transfer`)).status).toBe(201)
    expect(await shown()).toEqual(['near', 'promoted'])
    const target = await server.make.group('target', people.owner)
    const moved = await people.owner.put(`${own.base}/transfer`, { namespace: target.id })
    expect(moved.status).toBe(200)
    expect(await shown()).toEqual(['near', 'promoted'])
  })

  test('are in its evidence', async () => {
    await makeMilestone(server, { project: work.project }, 'proven')
    await create('v-proven', { ref: 'main', milestones: ['proven'] })
    const { jobs, database } = server.app.platform
    await jobs.drain()
    const rows = await database.read.selectFrom('release_evidences').select('summary').orderBy('id', 'desc').execute()
    expect(JSON.parse(rows[0]?.summary ?? '').release.milestones).toMatchObject([{ title: 'proven', state: 'active' }])
  })

  test('take the same number of queries for any number of releases', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'many' })
    const path = `${own.base}/releases`
    const release = async (number: number) => {
      await makeMilestone(server, { project: own.project }, `m${number}`)
      await people.developer.post(path, { tag_name: `v${number}`, ref: 'main', milestones: [`m${number}`] })
    }
    await release(0)
    const ask = () => people.reporter.get(path)
    const before = await queriesOf(server, ask)
    for (let number = 1; number < 6; number += 1) await release(number)
    expect((await ask()).body.flatMap(titlesOf)).toHaveLength(6)
    expect(await queriesOf(server, ask)).toBe(before)
  })
})
