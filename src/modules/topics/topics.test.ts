import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
let owner: Person

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

const make = async (name: string, more: object = {}) =>
  (await server.root.post('/topics', { name, title: name.toUpperCase(), ...more })).body
const projectWith = async (path: string, topics: string[]) =>
  (await owner.post('/projects', { name: path, path, topics })).body
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(64)])

function form(fields: Record<string, string>, picture: Buffer | null) {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  if (picture) data.append('avatar', new Blob([new Uint8Array(picture)]), 'logo.png')
  return data
}

describe('a topic', () => {
  test('is created, read, changed and deleted', async () => {
    const made = await server.root.post('/topics', { name: ' Go ', title: 'The Go language', description: '**fast**' })
    expect(made).toMatchObject({ status: 201 })
    expect(made.body).toEqual({
      id: made.body.id,
      name: 'Go',
      title: 'The Go language',
      description: '**fast**',
      total_projects_count: 0,
      organization_id: 1,
      avatar_url: null,
    })
    const path = `/topics/${made.body.id}`
    expect((await server.anonymous.get(path)).body).toEqual(made.body)
    const changed = await server.root.put(path, { title: 'Go!', name: 'golang' })
    expect(changed.body).toEqual({ ...made.body, title: 'Go!', name: 'golang' })
    expect((await server.root.delete(path)).status).toBe(204)
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await server.root.request(method, path)
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 404,
        body: { message: '404 Not found' },
      })
    }
  })

  test('has a picture', async () => {
    const { status, body } = await server.root.post('/topics', form({ name: 'pictured', title: 'x' }, png))
    expect({ status, url: body.avatar_url }).toEqual({
      status: 201,
      url: `${server.url}/uploads/-/system/topic/avatar/${body.id}/logo.png`,
    })
    expect((await fetch(body.avatar_url)).status).toBe(200)
    expect((await server.root.put(`/topics/${body.id}`, { avatar: '' })).body.avatar_url).toBeNull()
    expect((await fetch(body.avatar_url)).status).toBe(404)
    const refused = await server.root.post('/topics', form({ name: 'unpictured', title: 'x' }, Buffer.from('text')))
    expect(refused.body.message.avatar[0]).toMatch(/^file format is not supported/)
    expect((await server.anonymous.get('/topics?search=unpictured')).body).toEqual([])
  })

  test.each([
    [{ title: 'x' }, { message: '400 (Bad request) "name" not given', error: 'name is missing' }],
    [{ name: 'x' }, { message: '400 (Bad request) "title" not given', error: 'title is missing' }],
    [{ name: ' ', title: 'x' }, { message: { name: ["can't be blank"] } }],
    [{ name: 'x', title: '' }, { message: { title: ["can't be blank"] } }],
    [{ name: 'x'.repeat(256), title: 'x' }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    [
      { name: 'x', title: 'x', description: '💥'.repeat(1025) },
      { message: { description: ['is too long (maximum is 1024 characters)'] } },
    ],
    [{ name: 'TAKEN', title: 'x' }, { message: { name: ['has already been taken'] } }],
  ])('is refused with %j', async (params, body) => {
    await server.root.post('/topics', { name: 'taken', title: 'Taken' })
    const answer = await server.root.post('/topics', params)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body })
  })

  test('cannot get the name of another one', async () => {
    await make('first')
    const second = await make('second')
    const answer = await server.root.put(`/topics/${second.id}`, { name: 'First' })
    expect(answer).toMatchObject({ status: 400, body: { message: { name: ['has already been taken'] } } })
    expect((await server.root.put(`/topics/${second.id}`, { name: 'SECOND' })).status).toBe(200)
  })
})

describe('the topics of projects', () => {
  test('are created with the first project, whatever the case, and counted', async () => {
    const [one, two] = [await projectWith('one', ['Rust', 'systems']), await projectWith('two', ['rust'])]
    expect([one.topics, two.topics]).toEqual([['Rust', 'systems'], ['Rust']])
    const counts = async () => {
      const { body } = await server.anonymous.get('/topics?per_page=100')
      const known = body.filter(({ name }: { name: string }) => ['Rust', 'systems'].includes(name))
      return known.map((topic: Record<string, unknown>) => [topic.name, topic.title, topic.total_projects_count])
    }
    expect(await counts()).toEqual([
      ['Rust', 'Rust', 2],
      ['systems', 'systems', 1],
    ])
    await owner.put(`/projects/${two.id}`, { topics: ['systems', 'SYSTEMS', 'Rust'] })
    expect(await counts()).toEqual([
      ['Rust', 'Rust', 2],
      ['systems', 'systems', 2],
    ])
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    await owner.delete(`/projects/${one.id}`)
    await expect.poll(counts).toEqual([
      ['Rust', 'Rust', 1],
      ['systems', 'systems', 1],
    ])
    await server.root.put('/application/settings', { deletion_adjourned_period: 7 })
  })

  test('find projects by name and by id', async () => {
    const project = await projectWith('found', ['Needle'])
    const [topic] = (await server.anonymous.get('/topics?search=eedl')).body
    const ids = async (query: string) =>
      (await owner.get(`/projects?${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await ids('topic=needle')).toEqual([project.id])
    expect(await ids(`topic_id=${topic.id}`)).toEqual([project.id])
    expect(await ids('topic_id=99999999')).toEqual([])
    expect(await ids('topic=needle,other')).toEqual([])
    await server.root.delete(`/topics/${topic.id}`)
    expect((await owner.get(`/projects/${project.id}`)).body.topics).toEqual([])
  })

  test('are merged', async () => {
    const both = await projectWith('both', ['js', 'javascript'])
    const only = await projectWith('only', ['js'])
    const idOf = async (name: string) => (await server.anonymous.get(`/topics?search=${name}`)).body.at(-1).id
    const [source, target] = [await idOf('js'), await idOf('javascript')]
    const merged = await server.root.post('/topics/merge', { source_topic_id: source, target_topic_id: target })
    expect(merged).toMatchObject({ status: 201, body: { id: target, name: 'javascript', total_projects_count: 2 } })
    for (const { id } of [both, only]) expect((await owner.get(`/projects/${id}`)).body.topics).toEqual(['javascript'])
    expect((await server.anonymous.get(`/topics/${source}`)).status).toBe(404)
    const same = await server.root.post('/topics/merge', { source_topic_id: target, target_topic_id: target })
    expect(same).toMatchObject({
      status: 400,
      body: { message: 'The source topic and the target topic are identical.' },
    })
    const gone = await server.root.post('/topics/merge', { source_topic_id: source, target_topic_id: target })
    expect(gone).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  })

  test('that are merged into each other at once leave one', async () => {
    const project = await projectWith('circle', ['round', 'circular'])
    const idOf = async (name: string) => (await server.anonymous.get(`/topics?search=${name}`)).body[0].id
    const [one, other] = [await idOf('round'), await idOf('circular')]
    const merge = (source_topic_id: number, target_topic_id: number) =>
      server.root.post('/topics/merge', { source_topic_id, target_topic_id })
    const answers = await Promise.all([merge(one, other), merge(other, one), merge(one, other)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404, 404])
    const left = answers.find(({ status }) => status === 201)?.body
    expect(left.total_projects_count).toBe(1)
    expect((await owner.get(`/projects/${project.id}`)).body.topics).toEqual([left.name])
  })

  test('of two writers at once are one topic', async () => {
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, index) => projectWith(`w${index}`, ['Shared', 'b', 'a'])),
    )
    expect(made.map(({ topics }) => topics)).toEqual(made.map(() => ['Shared', 'b', 'a']))
    const { body } = await server.anonymous.get('/topics?search=shared')
    expect(body).toMatchObject([{ name: 'Shared', total_projects_count: 6 }])
  })
})

describe('the list of topics', () => {
  test('has those of the most projects first, by as many queries for many as for one', async () => {
    await make('unused')
    await projectWith('p1', ['popular', 'rare'])
    await projectWith('p2', ['popular'])
    const queriesFor = (size: number) => queriesOf(server, () => server.anonymous.get(`/topics?per_page=${size}`))
    expect(await queriesFor(100)).toBe(await queriesFor(1))
    const { body, headers } = await server.anonymous.get('/topics?per_page=2&page=1')
    expect(body).toHaveLength(2)
    expect(Number(headers.get('x-total'))).toBeGreaterThan(3)
    const all = (await server.anonymous.get('/topics?per_page=100')).body
    const counts = all.map((topic: { total_projects_count: number }) => topic.total_projects_count)
    expect(counts).toEqual(counts.toSorted((left: number, right: number) => right - left))
    const without = (await server.anonymous.get('/topics?without_projects=true&per_page=100')).body
    expect(without.map(({ name }: { name: string }) => name)).toContain('unused')
    expect(without.map(({ name }: { name: string }) => name)).not.toContain('rare')
    expect((await server.anonymous.get('/topics?organization_id=2')).body).toEqual([])
    expect((await server.anonymous.get('/topics?organization_id=1')).body.length).toBeGreaterThan(0)
    expect((await server.anonymous.get(`/topics?search=${encodeURIComponent('%_\\')}`)).body).toEqual([])
  })
})
