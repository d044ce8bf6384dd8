import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeWikiProject, startWikiServer, type WikiPeople } from '../testing.ts'

let people: WikiPeople
let count = 0
beforeAll(async () => {
  people = await startWikiServer()
})
afterAll(() => people.server.stop())

async function newWiki() {
  count += 1
  const project = await makeWikiProject(people, `wiki-${count}`)
  return { project, path: `/projects/${project.id}/wikis` }
}

describe('wiki pages and their project', () => {
  test('changes are events of the project', async () => {
    const { project, path } = await newWiki()
    const { developer, maintainer, server } = people
    const { body } = await developer.post(path, { title: 'dir/some page', content: 'x' })
    await developer.put(`${path}/dir%2Fsome-page`, { content: 'y' })
    await developer.put(`${path}/dir%2Fsome-page`, { title: 'other' })
    await maintainer.delete(`${path}/dir%2Fother`)
    const { database } = server.app.platform
    const events = await database.read
      .selectFrom('events')
      .selectAll()
      .where('project_id', '=', project.id)
      .orderBy('id')
      .execute()
    const page = { target_type: 'WikiPage::Meta', target_id: body.wiki_page_meta_id, push_data: null }
    expect(events).toMatchObject([
      { ...page, action: 'created', target_title: 'some page', author_id: developer.id },
      { ...page, action: 'updated', target_title: 'some page' },
      { ...page, action: 'updated', target_title: 'other' },
      { ...page, action: 'destroyed', target_title: 'other', author_id: maintainer.id },
    ])
  })

  test('the statistics contain the size', async () => {
    const { project, path } = await newWiki()
    const { developer, server } = people
    const read = async () => (await developer.get(`/projects/${project.id}?statistics=true`)).body.statistics
    expect((await read()).wiki_size).toBe(0)
    await developer.post(path, { title: 'p', content: 'x'.repeat(10_000) })
    await server.app.platform.jobs.drain()
    const { wiki_size: size, storage_size: all, repository_size: code, commit_count } = await read()
    expect(size).toBeGreaterThan(0)
    expect([all, commit_count]).toEqual([size + code, 0])
  })

  test('a project is deleted with its wiki', async () => {
    const { project, path } = await newWiki()
    const { server, owner } = people
    await people.developer.post(path, { title: 'p', content: 'x' })
    const { database, git: store } = server.app.platform
    const row = await database.read
      .selectFrom('repositories')
      .selectAll()
      .where('project_id', '=', project.id)
      .where('kind', '=', 'wiki')
      .executeTakeFirstOrThrow()
    const repository = store.repository({ storage: row.storage, diskPath: row.disk_path as never })
    expect(await repository.exists()).toBe(true)
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    expect((await owner.delete(`/projects/${project.id}`)).status).toBe(202)
    await server.app.platform.jobs.drain()
    expect(await repository.exists()).toBe(false)
  })
})
