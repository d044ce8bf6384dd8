import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { GitError } from '../../../infra/git/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeSnippetPeople, pathsOf, type SnippetPeople } from '../testing.ts'

let server: TestServer
let people: SnippetPeople
beforeAll(async () => {
  server = await startTestServer()
  people = await makeSnippetPeople(server)
})
afterAll(() => server.stop())

const file = (file_path: unknown, content: unknown = 'text') => ({ file_path, content })
const made = { title: 'T', visibility: 'private', files: [file('a.txt')] }

/** Status and the text of the error of a refused creation. */
async function refusal(body: unknown, who = people.owner) {
  const answer = await who.post('/snippets', body)
  const { error, message } = answer.body
  return [answer.status, error ?? message?.error ?? message]
}

async function countOfRows() {
  const { read } = server.app.platform.database
  const counts = await Promise.all(
    (['snippets', 'repositories', 'user_agent_details'] as const).map(async (table) => {
      return (await read.selectFrom(table).select('id').execute()).length
    }),
  )
  return counts
}

describe('creating a snippet', () => {
  test('stores its files in a repository with one commit', async () => {
    const { owner } = people
    const files = [file('b.txt', 'B\r\nüñ\n'), file('a.rb', 'A'), file('dir/c d.txt', 'C')]
    const { status, body } = await owner.post('/snippets', { ...made, description: 'D', files })
    expect(status).toBe(201)
    const page = `${server.url}/-/snippets/${body.id}`
    expect(body).toEqual({
      id: body.id,
      title: 'T',
      file_name: 'a.rb',
      description: 'D',
      visibility: 'private',
      imported: false,
      imported_from: 'none',
      author: expect.objectContaining({ id: owner.id, username: 'owner', state: 'active' }),
      created_at: body.updated_at,
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      expires_at: null,
      project_id: null,
      web_url: page,
      raw_url: `${page}/raw`,
      ssh_url_to_repo: expect.stringMatching(new RegExp(`^git@[^:]+:snippets/${body.id}\\.git$`)),
      http_url_to_repo: `${server.url}/snippets/${body.id}.git`,
      files: [
        { path: 'a.rb', raw_url: `${page}/raw/main/a.rb` },
        { path: 'b.txt', raw_url: `${page}/raw/main/b.txt` },
        { path: 'dir/c d.txt', raw_url: `${page}/raw/main/dir/c%20d.txt` },
      ],
    })
    expect((await owner.get(`/snippets/${body.id}`)).body).toEqual(body)
    expect((await owner.get(`/snippets/${body.id}/files/main/b.txt/raw`)).body).toBe('B\r\nüñ\n')
  })

  test('takes the deprecated form of one file', async () => {
    const { status, headers, body } = await people.owner.post('/snippets', { title: 'T', content: 'x', file_name: 'f' })
    expect([status, headers.get('deprecation'), body.file_name, body.visibility]).toEqual([
      201,
      'true',
      'f',
      'internal',
    ])
    const modern = await people.owner.post('/snippets', made)
    expect(modern.headers.get('deprecation')).toBeNull()
    const both = await people.owner.post('/snippets', { ...made, file_name: 'ignored' })
    expect([both.status, pathsOf(both.body)]).toEqual([201, ['a.txt']])
  })

  test('takes forms, and JSON within them', async () => {
    const form = 'title=T&files[][file_path]=a&files[][content]=1%2B1&files[][file_path]=b&files[][content]=2'
    const { status, body } = await people.owner.post('/snippets', new URLSearchParams(form))
    expect([status, pathsOf(body)]).toEqual([201, ['a', 'b']])
    expect((await people.owner.get(`/snippets/${body.id}/raw`)).body).toBe('1+1')
    const json = new URLSearchParams({ title: 'T', files: JSON.stringify([file('x')]) })
    expect((await people.owner.post('/snippets', json)).status).toBe(201)
  })

  test('has the visibility and the first branch of the settings', async () => {
    const { visibility: _, ...body } = made
    const snippet = async () => (await people.owner.post('/snippets', body)).body
    const set = (settings: object) => server.root.put('/application/settings', settings)
    expect((await snippet()).visibility).toBe('internal')
    await set({ restricted_visibility_levels: ['internal'] })
    expect((await snippet()).visibility).toBe('private')
    await set({ restricted_visibility_levels: [], default_snippet_visibility: 'public', default_branch_name: 'trunk' })
    const { visibility, files } = await snippet()
    expect([visibility, files[0].raw_url]).toEqual(['public', expect.stringContaining('/raw/trunk/')])
    await set({ default_snippet_visibility: 'internal', default_branch_name: null })
  })

  test('refuses missing and wrong parameters', async () => {
    const { title, files, ...rest } = made
    expect(await refusal({ ...rest, files })).toEqual([400, 'title is missing'])
    expect(await refusal({ ...made, title: ' ' })).toEqual([400, 'title is empty'])
    expect(await refusal({ title })).toEqual([
      400,
      'files, content are missing, exactly one parameter must be provided',
    ])
    expect(await refusal({ ...made, content: 'x' })).toEqual([400, 'files, content are mutually exclusive'])
    expect(await refusal({ title, content: 'x' })).toEqual([400, 'file_name is missing'])
    expect(await refusal({ title, content: ' ', file_name: 'f' })).toEqual([400, 'content is empty'])
    for (const wrong of ['x', 5, [1], [[]], { a: 1 }, [null]]) {
      expect(await refusal({ ...made, files: wrong })).toEqual([400, 'files is invalid'])
    }
    expect(await refusal({ ...made, files: [] })).toEqual([400, 'files is empty'])
    expect(await refusal({ ...made, files: [{}] })).toEqual([
      400,
      'files[0][file_path] is missing, files[0][content] is missing',
    ])
    expect(await refusal({ ...made, files: [file('a'), file(' ', '')] })).toEqual([
      400,
      'files[1][file_path] is empty, files[1][content] is empty',
    ])
    for (const path of ['/etc/passwd', '../x', 'a/../b', '..']) {
      expect(await refusal({ ...made, files: [file(path)] })).toEqual([
        400,
        'files[0][file_path] should be a valid file path',
      ])
    }
    expect(await refusal({ ...made, visibility: 'secret' })).toEqual([400, 'visibility does not have a valid value'])
  })

  test('refuses texts that are too long', async () => {
    const long = 'é'.repeat(256)
    expect(await refusal({ ...made, title: long })).toEqual([400, 'Title is too long (maximum is 255 characters)'])
    const files = [file(long)]
    expect(await refusal({ ...made, files })).toEqual([400, 'File name is too long (maximum is 255 characters)'])
    expect(await refusal({ ...made, description: 'x'.repeat(1_572_864) })).toEqual([
      400,
      'Description is too long (1.5 MiB). The maximum size is 1 MiB.',
    ])
    await server.root.put('/application/settings', { snippet_size_limit: 1024 })
    expect(await refusal({ ...made, files: [file('a', 'é'.repeat(1024))] })).toEqual([
      400,
      'Content is too long (2 KiB). The maximum size is 1 KiB.',
    ])
    expect((await people.owner.post('/snippets', { ...made, files: [file('a', 'x'.repeat(1024))] })).status).toBe(201)
    await server.root.put('/application/settings', { snippet_size_limit: 52_428_800 })
  })

  test('takes bodies above the usual limit, up to 100 MiB', async () => {
    const files = [file('large', 'x'.repeat(12 * 1024 * 1024))]
    const { status, body } = await people.owner.post('/snippets', { ...made, files })
    expect(status).toBe(201)
    expect((await people.owner.head(`/snippets/${body.id}/raw`)).headers.get('content-length')).toBe('12582912')
    const answer = await fetch(`${server.url}/api/v4/snippets`, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': people.owner.token, 'Content-Type': 'application/json' },
      body: Buffer.alloc(100 * 1024 * 1024 + 1, ' '),
    })
    expect([answer.status, await answer.json()]).toEqual([413, { message: '413 Request Entity Too Large' }])
  })

  test('refuses files that cannot be in one repository, and leaves nothing', async () => {
    const before = await countOfRows()
    const twice = [file('a'), file('a')]
    expect(await refusal({ ...made, files: twice })).toEqual([422, 'Snippet actions have invalid data'])
    const eleven = Array.from({ length: 11 }, (_, index) => file(`f${index}`))
    const prefix = 'Repository Error creating the snippet - '
    expect(await refusal({ ...made, files: eleven })).toEqual([
      400,
      `${prefix}The repository can contain at most 10 file(s).`,
    ])
    expect(await refusal({ ...made, files: [file('a'), file('a/b')] })).toEqual([
      400,
      `${prefix}Path cannot lead through a file: a`,
    ])
    for (const path of ['.git/config', 'x/.GIT', 'git~1']) {
      expect(await refusal({ ...made, files: [file(path)] })).toEqual([400, `${prefix}Path cannot include '.git'`])
    }
    expect(await countOfRows()).toEqual(before)
    await server.app.platform.jobs.drain()
    const { body } = await people.owner.get('/snippets?per_page=100')
    expect(body.every(({ file_name }: { file_name: string }) => file_name !== null)).toBe(true)
  })

  const system = (code: string) => Object.assign(new Error(code), { code, syscall: 'mkdir' })
  const ofGit = (stderr: string) => new GitError('command_failed', 'git failed', { stderr })

  test.each<[string, Error, number, string]>([
    ['fails', ofGit('fatal: it failed'), 400, 'Repository Error creating the snippet - The files could not be stored.'],
    ['is full', system('ENOSPC'), 507, '507 Insufficient Storage'],
    ['is full for git', ofGit('fatal: write error: No space left on device'), 507, '507 Insufficient Storage'],
    ['opens no more files', system('EMFILE'), 503, '503 Service Unavailable'],
  ])('leaves nothing when the storage %s', async (_how, broken, status, text) => {
    const before = await countOfRows()
    const { git } = server.app.platform
    const original = git.repository
    Object.assign(git, {
      repository: (...given: [never]) => ({ ...original(...given), init: () => Promise.reject(broken) }),
    })
    try {
      expect(await refusal(made)).toEqual([status, text])
    } finally {
      Object.assign(git, { repository: original })
    }
    expect(await countOfRows()).toEqual(before)
  })

  test('is refused to external users, and for reserved levels', async () => {
    expect(await refusal(made, people.external)).toEqual([403, '403 Forbidden'])
    await server.root.put('/application/settings', { restricted_visibility_levels: ['public'] })
    const open = { ...made, visibility: 'public' }
    expect(await refusal(open)).toEqual([
      403,
      'Visibility level public has been restricted by your GitLab administrator',
    ])
    expect((await server.root.post('/snippets', open)).status).toBe(201)
    await server.root.put('/application/settings', { restricted_visibility_levels: [] })
    expect((await people.owner.post('/snippets', open)).status).toBe(201)
  })

  test('is refused without a name that a file can have', async () => {
    const hostile = ['a\u0000b', '\ud83d', {}, []]
    for (const path of hostile) {
      expect(await refusal({ ...made, files: [file(path)] })).toEqual([400, 'files[0][file_path] is invalid'])
    }
    const { body } = await people.owner.post('/snippets', { ...made, files: [file('ü/😀 #?%.txt', 'ok')] })
    const path = new URL(body.files[0].raw_url).pathname
    expect((await people.owner.get(`root:${path}`)).body).toBe('ok')
  })
})

describe('the limit of creations', () => {
  test('counts personal snippets and those of projects together', async () => {
    const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
    await using limited = await startTestServer({ clock })
    await limited.root.put('/application/settings', { snippet_create_limit_per_hour: 2 })
    const who = await limited.user('busy')
    const project = await limited.make.project('limited', who)
    expect(await refusal({ ...made, files: [] }, who)).toEqual([400, 'files is empty'])
    expect((await who.post('/snippets', made)).status).toBe(201)
    expect((await who.post(`/projects/${project.id}/snippets`, made)).status).toBe(201)
    clock.advance(3_599_000)
    const answer = await who.post('/snippets', { ...made, title: 'x'.repeat(300) })
    expect([answer.status, answer.body]).toEqual([
      429,
      { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    ])
    expect(answer.headers.get('retry-after')).toBe('1')
    expect((await who.post(`/projects/${project.id}/snippets`, made)).status).toBe(429)
    clock.advance(1_000)
    expect((await who.post('/snippets', made)).status).toBe(201)
    await limited.root.put('/application/settings', { snippet_create_limit_per_hour: 0 })
    for (let count = 0; count < 2; count += 1) expect((await who.post('/snippets', made)).status).toBe(201)
  })
})

describe('who created a snippet', () => {
  test('is shown to administrators', async () => {
    const answer = await people.owner.post('/snippets', made, { headers: { 'User-Agent': 'Robot/1.0' } })
    const path = `/snippets/${answer.body.id}/user_agent_detail`
    const { status, body } = await server.root.get(path)
    expect([status, body]).toEqual([
      200,
      { user_agent: 'Robot/1.0', ip_address: expect.stringMatching(/127\.0\.0\.1|::1/), akismet_submitted: false },
    ])
    expect((await people.owner.get(path)).body).toEqual({ message: '403 Forbidden' })
    const missing = await server.root.get('/snippets/999999/user_agent_detail')
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Not found' }])
    await server.app.platform.database.write((tx) => tx.deleteFrom('user_agent_details').execute())
    const without = await server.root.get(path)
    expect([without.status, without.body]).toEqual([404, { message: '404 UserAgentDetail Not Found' }])
  })
})
