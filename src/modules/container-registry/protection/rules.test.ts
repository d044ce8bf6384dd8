import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../../api/index.ts'
import { makePeople, type People, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type ProjectRow, withRole } from '../../projects/index.ts'
import { isProtectedFromDeletion, protectionOf } from './rules.ts'

let server: TestServer
let people: People
const projects: ProjectRow[] = []
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  for (const name of ['one', 'two', 'three']) projects.push(await server.make.project(name, people.owner))
})
afterAll(() => server.stop())

const db = () => server.app.platform.database.read
const projectOf = (index: number) => projects[index] as ProjectRow

async function protect(project: ProjectRow, rest: string, levels: { push?: string; delete?: string }) {
  const { status } = await people.owner.post(`/projects/${project.id}/registry/protection/repository/rules`, {
    repository_path_pattern: `${project.full_path}${rest}`,
    minimum_access_level_for_push: levels.push,
    minimum_access_level_for_delete: levels.delete,
  })
  expect(status).toBe(201)
}

describe('the required levels', () => {
  test('are those of the highest matching rule, for each action', async () => {
    const [project, other] = [projectOf(0), projectOf(1)]
    await protect(project, '/prod*', { push: 'maintainer' })
    await protect(project, '/prod/*', { push: 'owner', delete: 'admin' })
    await protect(project, '*', { delete: 'maintainer' })
    await protect(other, '/web', { push: 'admin' })
    const required = await protectionOf(db(), [project.id, other.id])
    const table: [number, string, number, number][] = [
      [project.id, '', 0, 40],
      [project.id, 'web', 0, 40],
      [project.id, 'prod', 40, 40],
      [project.id, 'production', 40, 40],
      [project.id, 'prod/api', 50, 60],
      [project.id, 'a/prod', 0, 40],
      [other.id, 'web', 60, 0],
      [other.id, 'web/api', 0, 0],
      [other.id, 'prod', 0, 0],
    ]
    for (const [id, name, push, deletion] of table) {
      expect([id, name, required(id, name, 'push'), required(id, name, 'delete')]).toEqual([id, name, push, deletion])
    }
  })

  test('of many projects take one query', async () => {
    const ids = projects.map(({ id }) => id)
    expect(await queriesOf(server, () => protectionOf(db(), ids))).toBe(1)
    expect((await protectionOf(db(), []))(1, 'a', 'push')).toBe(0)
  })
})

describe('a repository that is protected from deletion', () => {
  test('may be deleted by the level of the rule and by administrators', async () => {
    const project = projectOf(2)
    await protect(project, '/web', { delete: 'owner' })
    await protect(project, '/core', { delete: 'admin' })
    await server.make.member({ project }, people.maintainer, 40)
    const actor = (person: { id: number }, administrator = false) =>
      ({ kind: 'user', userId: person.id, administrator, credential: {} }) as Actor
    const refuses = async (who: Actor, name: string) =>
      isProtectedFromDeletion(server.app.platform, await withRole(db(), project, who, '2026-01-01'), who, name)
    const names = ['', 'web', 'core']
    const of = (who: Actor) => Promise.all(names.map((name) => refuses(who, name)))
    expect(await of(actor(people.maintainer))).toEqual([false, true, true])
    expect(await of(actor(people.owner))).toEqual([false, false, true])
    expect(await of(actor(people.outsider, true))).toEqual([false, false, false])
  })
})
