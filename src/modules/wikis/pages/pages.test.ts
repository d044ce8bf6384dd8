import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, queriesOf, temporaryDirectory } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { cloned, makeWikiProject, startWikiServer, type WikiPeople } from '../testing.ts'

let people: WikiPeople
let count = 0
beforeAll(async () => {
  people = await startWikiServer()
})
afterAll(() => people.server.stop())

const noPage = { message: '404 Wiki Page Not Found' }

async function newWiki(visibility: 'private' | 'public' = 'private') {
  count += 1
  const project = await makeWikiProject(people, `wiki-${count}`, visibility)
  return { project, path: `/projects/${project.id}/wikis` }
}

/** Messages of the commits of a wiki, newest first, with their authors; and its files. */
async function historyOf({ full_path }: ProjectRow) {
  await using folder = await temporaryDirectory()
  const copy = await cloned(people, people.owner, `${full_path}.wiki`, folder.path)
  const log = (await git(copy, 'log', '--format=%an <%ae> %s')).stdout
  const files = (await git(copy, '-c', 'core.quotePath=false', 'ls-files')).stdout
  return { log: log.split('\n').filter(Boolean), files: files.split('\n').filter(Boolean) }
}

describe('a page', () => {
  test('is created, read, listed, changed and deleted', async () => {
    const { project, path } = await newWiki()
    const { developer, guest, maintainer } = people
    expect((await guest.get(path)).body).toEqual([])
    const made = await developer.post(path, { title: 'How to use', content: 'Hello *you*' })
    const id = made.body.wiki_page_meta_id
    const page = { format: 'markdown', slug: 'How-to-use', title: 'How to use', wiki_page_meta_id: id }
    const content = { content: 'Hello *you*', encoding: 'UTF-8', front_matter: {} }
    expect([made.status, made.body]).toEqual([201, { ...page, ...content }])
    expect(Object.keys(made.body)).toEqual([...Object.keys(page), ...Object.keys(content)])
    expect(id).toBeGreaterThan(0)
    expect((await guest.get(`${path}/How-to-use`)).body).toEqual({ ...page, ...content })
    expect((await guest.get(`${path}/How%20to%20use`)).body).toEqual({ ...page, ...content })
    expect((await guest.get(path)).body).toEqual([page])
    expect((await guest.get(`${path}?with_content=1`)).body).toEqual([{ ...page, ...content }])

    const changed = await developer.put(`${path}/How-to-use`, { content: 'Bye' })
    expect([changed.status, changed.body]).toEqual([200, { ...page, ...content, content: 'Bye' }])
    const gone = await maintainer.delete(`${path}/How-to-use`)
    expect([gone.status, gone.body]).toEqual([204, ''])
    const missing = await guest.get(`${path}/How-to-use`)
    expect([missing.status, missing.body]).toEqual([404, noPage])
    expect((await historyOf(project)).log).toEqual([
      'maintainer person <maintainer@example.com> Delete How-to-use',
      'developer person <developer@example.com> Update How-to-use',
      'developer person <developer@example.com> Create How-to-use',
    ])
  })

  test('in a directory has a slash in its slug, encoded in the path', async () => {
    const { project, path } = await newWiki()
    const { developer } = people
    const made = await developer.post(path, { title: 'a/b c', content: 'x' })
    expect(made.body).toMatchObject({ slug: 'a/b-c', title: 'b c' })
    expect((await developer.get(`${path}/a%2Fb-c`)).body).toEqual(made.body)
    expect((await developer.get(`${path}/a/b-c`)).status).toBe(404)
    expect((await historyOf(project)).files).toEqual(['a/b-c.md'])
  })

  test.each([
    ['markdown', 'md'],
    ['rdoc', 'rdoc'],
    ['asciidoc', 'asciidoc'],
    ['org', 'org'],
  ])('in %s is a file with the extension .%s', async (format, ending) => {
    const { project, path } = await newWiki()
    const made = await people.developer.post(path, { title: 'p', content: '', format })
    expect(made.body).toMatchObject({ format, slug: 'p', content: '' })
    expect((await historyOf(project)).files).toEqual([`p.${ending}`])
  })

  test('keeps its id when it is moved, within its directory or out of it', async () => {
    const { project, path } = await newWiki()
    const { developer } = people
    const { body: first } = await developer.post(path, { title: 'a/b', content: 'text' })
    const moved = await developer.put(`${path}/a%2Fb`, { title: 'c d' })
    expect(moved.body).toEqual({ ...first, slug: 'a/c-d', title: 'c d' })
    expect((await developer.get(`${path}/a%2Fb`)).status).toBe(404)
    const out = await developer.put(`${path}/a%2Fc-d`, { title: '/e', content: 'other', format: 'org' })
    expect(out.body).toEqual({ ...first, slug: 'e', title: 'e', content: 'other', format: 'org' })
    const deep = await developer.put(`${path}/e`, { title: 'x/y/z' })
    expect(deep.body).toMatchObject({ slug: 'x/y/z', format: 'org', wiki_page_meta_id: first.wiki_page_meta_id })
    const { files, log } = await historyOf(project)
    expect(files).toEqual(['x/y/z.org'])
    expect(log[0]).toMatch(/Update x\/y\/z$/)
  })

  test('does not take the id of another page when it is moved to a former slug', async () => {
    const { path } = await newWiki()
    const { developer, maintainer } = people
    const { body: a } = await developer.post(path, { title: 'a', content: 'a' })
    await maintainer.delete(`${path}/a`)
    const { body: b } = await developer.post(path, { title: 'b', content: 'b' })
    const { body: moved } = await developer.put(`${path}/b`, { title: 'a' })
    expect(moved.wiki_page_meta_id).toBe(b.wiki_page_meta_id)
    expect(moved.wiki_page_meta_id).not.toBe(a.wiki_page_meta_id)
  })

  test('is not committed again without a difference', async () => {
    const { project, path } = await newWiki()
    const { developer } = people
    const { body } = await developer.post(path, { title: 'same', content: 'same' })
    const again = await developer.put(`${path}/same`, { title: 'same', content: 'same', format: 'markdown' })
    expect([again.status, again.body]).toEqual([200, body])
    expect((await historyOf(project)).log).toHaveLength(1)
  })

  test('is read at the id of a commit', async () => {
    const { project, path } = await newWiki()
    const { developer } = people
    await developer.post(path, { title: 'old', content: 'one' })
    await developer.put(`${path}/old`, { content: 'two' })
    await using folder = await temporaryDirectory()
    const copy = await cloned(people, developer, `${project.full_path}.wiki`, folder.path)
    const first = (await git(copy, 'rev-parse', 'HEAD~1')).stdout.trim()
    expect((await developer.get(`${path}/old?version=${first}`)).body.content).toBe('one')
    expect((await developer.get(`${path}/old?version=${first.slice(0, 8)}`)).body.content).toBe('one')
    for (const version of ['0'.repeat(40), 'HEAD~1', '--all', 'nothing']) {
      const answer = await developer.get(`${path}/old?version=${encodeURIComponent(version)}`)
      expect([answer.status, answer.body]).toEqual([404, noPage])
    }
  })

  test('has versions, newest first, which can be read', async () => {
    const { path } = await newWiki()
    const { developer, maintainer, guest } = people
    await developer.post(path, { title: 'a/old', content: 'one' })
    await developer.post(path, { title: 'other', content: 'x' })
    await maintainer.put(`${path}/a%2Fold`, { content: 'two' })
    const { body, headers } = await guest.get(`${path}/a%2Fold/versions`)
    expect(body).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{40}$/),
        short_id: body[0].id.slice(0, 8),
        message: 'Update a/old',
        author_name: 'maintainer person',
        author_email: 'maintainer@example.com',
        authored_date: expect.any(String),
      },
      expect.objectContaining({ message: 'Create a/old', author_name: 'developer person' }),
    ])
    expect(headers.get('x-total')).toBeNull()
    expect((await guest.get(`${path}/a%2Fold?version=${body[1].id}`)).body.content).toBe('one')
    const second = await guest.get(`${path}/a%2Fold/versions?per_page=1&page=2`)
    expect([second.body, second.headers.get('x-next-page')]).toEqual([[body[1]], ''])
    expect((await guest.get(`${path}/a%2Fold/versions?page=99999999`)).body).toEqual([])
    const missing = await guest.get(`${path}/none/versions`)
    expect([missing.status, missing.body]).toEqual([404, noPage])
  })

  test('is rendered as safe HTML', async () => {
    const { path } = await newWiki()
    const { developer } = people
    const content = '---\ntitle: t\n---\n# Hi\n<script>alert(1)</script>\n[x](javascript:alert(1))'
    await developer.post(path, { title: 'html', content })
    const { body } = await developer.get(`${path}/html?render_html=true`)
    expect(body.content).toContain('<h1 id="user-content-hi">Hi</h1>')
    expect(body.content).not.toMatch(/<script|href="javascript|title: t/)
    expect(body.front_matter).toEqual({ title: 't' })
    expect((await developer.get(`${path}/html`)).body.content).toBe(content)
    await developer.post(path, { title: 'org', content: '<b>', format: 'org' })
    expect((await developer.get(`${path}/org?render_html=1`)).body.content).toBe('<pre>&lt;b&gt;</pre>')
  })

  test('may have names used by the API', async () => {
    const { path } = await newWiki()
    const { developer } = people
    for (const title of ['attachments', '-', '_sidebar', '日本語/ページ', 'a%2Fb', 'a?b#c', 'ends.md', 'null']) {
      const made = await developer.post(path, { title, content: title })
      expect([made.status, made.body.slug]).toEqual([201, title])
      const read = await developer.get(`${path}/${encodeURIComponent(title)}`)
      expect([read.status, read.body]).toEqual([200, made.body])
    }
  })

  test('may have the name of a directory beside it', async () => {
    const { path } = await newWiki()
    const { developer } = people
    expect((await developer.post(path, { title: 'a/b', content: '1' })).status).toBe(201)
    expect((await developer.post(path, { title: 'a', content: '2' })).status).toBe(201)
    expect((await developer.get(path)).body.map((page: { slug: string }) => page.slug)).toEqual(['a', 'a/b'])
  })
})

describe('problems of a new page are answered with 400', () => {
  let path: string
  beforeAll(async () => {
    path = (await newWiki()).path
    await people.developer.post(path, { title: 'there', content: 'x' })
    await people.developer.post(path, { title: 'dir/there', content: 'x', format: 'org' })
  })

  const duplicate = (file: string) => ({
    message: { base: [`Duplicate page: A page with that title already exists in the file ${file}`] },
  })

  test.each([
    [{}, { error: 'title is missing, content is missing', message: '400 (Bad request) "title", "content" not given' }],
    [{ title: 'x' }, { error: 'content is missing', message: '400 (Bad request) "content" not given' }],
    [{ content: 'x' }, { error: 'title is missing', message: '400 (Bad request) "title" not given' }],
    [
      { title: 'x', content: 'x', format: 'html' },
      { error: 'format does not have a valid value', message: { format: ['does not have a valid value'] } },
    ],
    [
      { title: { a: 1 }, content: 'x' },
      { error: 'title is invalid', message: { title: ['is invalid'] } },
    ],
    [
      { title: 'a\u0000b', content: 'x' },
      { error: 'title is invalid', message: { title: ['is invalid'] } },
    ],
    [{ title: ' ', content: 'x' }, { message: { title: ["can't be blank"] } }],
    [{ title: '../x', content: 'x' }, { message: { title: ['is invalid'] } }],
    [{ title: 'a/../../x', content: 'x' }, { message: { title: ['is invalid'] } }],
    [{ title: '.git/config', content: 'x' }, { message: { title: ['is invalid'] } }],
    [{ title: 'x'.repeat(300), content: 'x' }, { message: { title: ['exceeds the limit of 245 bytes'] } }],
    [{ title: 'there', content: 'y' }, duplicate('there.md')],
    [{ title: 'there', content: 'y', format: 'org' }, duplicate('there.md')],
    [{ title: ' dir / there ', content: 'y' }, duplicate('dir/there.org')],
  ])('in case %#', async (given, body) => {
    const answer = await people.developer.post(path, given)
    expect([answer.status, answer.body]).toEqual([400, body])
  })

  test('when it is too large', async () => {
    const content = 'x'.repeat(6 * 1024 * 1024)
    const sentence = 'is too long (6 MiB). The maximum size is 5 MiB.'
    const answer = await people.developer.post(path, { title: 'large', content })
    expect([answer.status, answer.body]).toEqual([400, { message: { content: [sentence] } }])
    const longTitle = { title: 'x'.repeat(9 * 1024 * 1024), content: '' }
    expect((await people.developer.post(path, longTitle)).body).toEqual({
      message: { title: ['exceeds the limit of 245 bytes'] },
    })
    expect((await people.developer.post(path, { title: 'x', content: 'x'.repeat(11_000_000) })).status).toBe(413)
  })

  test('also for a change', async () => {
    const { developer } = people
    const none = await developer.put(`${path}/there`, {})
    expect([none.status, none.body.error]).toEqual([
      400,
      'title, content, format are missing, at least one parameter must be provided',
    ])
    const missing = await developer.put(`${path}/nothing`, { content: 'x' })
    expect([missing.status, missing.body]).toEqual([404, noPage])
    expect((await developer.put(`${path}/there`, { title: '' })).body).toEqual({
      message: { title: ["can't be blank"] },
    })
    expect((await developer.put(`${path}/there`, { title: 'dir/there' })).body).toEqual(duplicate('dir/there.org'))
    expect((await developer.put(`${path}/there`, { title: '/../x' })).body).toEqual({
      message: { title: ['is invalid'] },
    })
  })

  test.each(['..%2F..%2Fetc%2Fpasswd', '.git%2Fconfig', 'there.md', 'dir', 'a%00b', '%2F', 'x'.repeat(5000)])(
    'there is none that is asked for so (%#)',
    async (slug) => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await people.maintainer.request(method, `${path}/${slug}${method === 'PUT' ? '?content=x' : ''}`)
        expect([404, 400]).toContain(answer.status)
        expect(JSON.stringify(answer.body)).toMatch(/404 (Wiki Page )?Not Found|400 Bad request/)
      }
    },
  )
})

describe('parallel writers', () => {
  test('of the same page: one succeeds', async () => {
    const { path } = await newWiki()
    const make = () => people.developer.post(path, { title: 'race', content: 'x' })
    const answers = await Promise.all([make(), make(), make(), make()])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    for (const { status, body } of answers) {
      if (status === 400) expect(body.message.base[0]).toMatch(/^Duplicate page: .* race\.md$/)
    }
  })

  test('of different pages: both succeed', async () => {
    const { project, path } = await newWiki()
    const titles = ['a', 'b', 'c', 'd', 'e']
    const answers = await Promise.all(titles.map((title) => people.developer.post(path, { title, content: title })))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect((await historyOf(project)).files).toEqual(titles.map((title) => `${title}.md`))
    expect(new Set(answers.map(({ body }) => body.wiki_page_meta_id)).size).toBe(5)
  })

  test('that change and delete a page get regular answers', async () => {
    const { path } = await newWiki()
    await people.developer.post(path, { title: 'p', content: 'x' })
    const [changed, deleted] = await Promise.all([
      people.developer.put(`${path}/p`, { content: 'y' }),
      people.maintainer.delete(`${path}/p`),
    ])
    expect([200, 404]).toContain(changed.status)
    expect(deleted.status).toBe(204)
    expect((await people.guest.get(path)).body).toEqual([])
  })
})

describe('a list', () => {
  test('makes the same number of queries for two pages and for twenty', async () => {
    const { path } = await newWiki()
    const make = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_, index) =>
          people.developer.post(path, { title: `p${from + index}`, content: 'x' }),
        ),
      )
    const cost = async (query: string) => {
      const list = () => people.guest.get(`${path}${query}`)
      return { queries: await queriesOf(people.server, list), length: (await list()).body.length }
    }
    await make(0, 2)
    const few = [await cost(''), await cost('?with_content=true')]
    await make(2, 20)
    const many = [await cost(''), await cost('?with_content=true')]
    expect(many.map(({ length }) => length)).toEqual([20, 20])
    expect(many.map(({ queries }) => queries)).toEqual(few.map(({ queries }) => queries))
  })

  test('is in the order of the slugs by bytes', async () => {
    const { path } = await newWiki()
    for (const title of ['b', 'a/z', 'A', 'a-b', 'a', 'ä']) await people.developer.post(path, { title, content: '' })
    const slugs = (await people.guest.get(path)).body.map((page: { slug: string }) => page.slug)
    expect(slugs).toEqual(['A', 'a', 'a-b', 'a/z', 'b', 'ä'])
    const whole = await people.guest.get(`${path}?with_content=true`)
    expect(whole.body.map((page: { slug: string }) => page.slug)).toEqual(slugs)
    const etag = whole.headers.get('etag') ?? ''
    const again = await people.guest.get(`${path}?with_content=true`, { headers: { 'If-None-Match': etag } })
    expect(again.status).toBe(304)
  })
})

describe('access', () => {
  test('depends on the visibility of the project and of its wiki', async () => {
    const { project, path } = await newWiki('public')
    const { server, owner, developer, outsider, guest } = people
    await developer.post(path, { title: 'p', content: 'x' })
    expect((await server.anonymous.get(`${path}/p`)).status).toBe(200)
    expect((await outsider.post(path, { title: 'q', content: 'x' })).status).toBe(403)
    await owner.put(`/projects/${project.id}`, { wiki_access_level: 'private' })
    for (const client of [server.anonymous, outsider]) {
      const refused = await client.get(`${path}/p`)
      expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    }
    expect((await guest.get(`${path}/p`)).status).toBe(200)
    await owner.put(`/projects/${project.id}`, { wiki_access_level: 'disabled' })
    for (const request of [owner.get(path), owner.post(path, { title: 'q', content: 'x' }), server.root.get(path)]) {
      const refused = await request
      expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    }
  })

  test('is refused while the project is archived or the wiki is being moved', async () => {
    const { project, path } = await newWiki()
    const { server, owner, developer } = people
    await developer.post(path, { title: 'p', content: 'x' })
    const { database } = server.app.platform
    const lock = (read_only: boolean) =>
      database.write((tx) =>
        tx.updateTable('repositories').set({ read_only }).where('project_id', '=', project.id).execute(),
      )
    await lock(true)
    const moving = await developer.put(`${path}/p`, { content: 'y' })
    const sentence = 'The repository is temporarily read-only. Please try again later.'
    expect([moving.status, moving.body]).toEqual([403, { message: `403 Forbidden - ${sentence}` }])
    await lock(false)
    await owner.post(`/projects/${project.id}/archive`)
    const archived = await developer.put(`${path}/p`, { content: 'y' })
    expect([archived.status, archived.body]).toEqual([403, { message: '403 Forbidden' }])
    expect((await developer.get(`${path}/p`)).body.content).toBe('x')
  })
})
