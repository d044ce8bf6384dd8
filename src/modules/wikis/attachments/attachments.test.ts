import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, temporaryDirectory } from '../../../testing/index.ts'
import { cloned, makeWikiGroup, makeWikiProject, startWikiServer, type WikiPeople } from '../testing.ts'

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

function form(name: string, content: string | Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}): FormData {
  const data = new FormData()
  data.append('file', new Blob([content]), name)
  for (const [field, value] of Object.entries(fields)) data.append(field, value)
  return data
}

/** Bytes of a file in the wiki, as git has them. */
async function fileIn(wiki: string, file: string, branch = 'HEAD') {
  await using folder = await temporaryDirectory()
  const copy = await cloned(people, people.owner, wiki, folder.path)
  return (await git(copy, 'show', `${branch}:${file}`)).stdout
}

describe('an attached file', () => {
  test('is stored in the repository, and returned with its Markdown', async () => {
    const { project, path } = await newWiki()
    const { status, body } = await people.developer.post(`${path}/attachments`, form('my pic.png', 'bytes'))
    expect(status).toBe(201)
    expect(body.file_path).toMatch(/^uploads\/[0-9a-f]{32}\/my_pic\.png$/)
    expect(body).toEqual({
      file_name: 'my_pic.png',
      file_path: body.file_path,
      branch: 'main',
      link: { url: body.file_path, markdown: `![my_pic](${body.file_path})` },
    })
    expect(Object.keys(body)).toEqual(['file_name', 'file_path', 'branch', 'link'])
    expect(await fileIn(`${project.full_path}.wiki`, body.file_path)).toBe('bytes')
    const again = await people.developer.post(`${path}/attachments`, form('my pic.png', 'bytes'))
    expect(again.body.file_path).not.toBe(body.file_path)
  })

  test('is never a page', async () => {
    const { path } = await newWiki()
    const { body } = await people.developer.post(`${path}/attachments`, form('notes.md', '# Notes'))
    expect(body.link.markdown).toBe(`[notes.md](${body.file_path})`)
    expect((await people.guest.get(path)).body).toEqual([])
    const slug = encodeURIComponent(body.file_path.replace('.md', ''))
    expect((await people.guest.get(`${path}/${slug}`)).status).toBe(404)
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['.git', '_.git'],
    ['.Git', '_.Git'],
    [`.git${' '.repeat(3)}`, '.git___'],
    ['...', '_...'],
    ['C:\\x\\résumé.pdf', 'résumé.pdf'],
    [`${'n'.repeat(400)}.txt`, `${'n'.repeat(251)}.txt`],
  ])('has a safe name (%#)', async (given, name) => {
    const { project, path } = await newWiki()
    const { status, body } = await people.developer.post(`${path}/attachments`, form(given, 'x'))
    expect([status, body.file_name]).toEqual([201, name])
    expect(body.file_path).toMatch(/^uploads\/[0-9a-f]{32}\/[^/]+$/)
    expect(await fileIn(`${project.full_path}.wiki`, body.file_path)).toBe('x')
  })

  test('is stored in the given branch', async () => {
    const { project, path } = await newWiki()
    await people.developer.post(path, { title: 'p', content: 'text' })
    const { status, body } = await people.developer.post(`${path}/attachments`, form('a', 'x', { branch: 'side' }))
    expect([status, body.branch]).toEqual([201, 'side'])
    const wiki = `${project.full_path}.wiki`
    expect(await fileIn(wiki, body.file_path, 'origin/side')).toBe('x')
    expect(await fileIn(wiki, 'p.md', 'origin/side')).toBe('text')
    expect(await fileIn(wiki, body.file_path)).toBe('')
    const more = await people.developer.post(`${path}/attachments`, form('b', 'y', { branch: 'side' }))
    expect(more.status).toBe(201)
    const bad = await people.developer.post(`${path}/attachments`, form('c', 'z', { branch: '../x' }))
    expect([bad.status, bad.body]).toEqual([400, { message: 'Branch name is invalid' }])
  })

  test("may be empty, and large up to the instance's limit", async () => {
    const { path } = await newWiki()
    const attach = (content: Uint8Array<ArrayBuffer>) =>
      people.developer.post(`${path}/attachments`, form('x.bin', content))
    await people.server.root.put('/application/settings', { max_attachment_size: 1 })
    expect((await attach(new Uint8Array(0))).status).toBe(201)
    expect((await attach(new Uint8Array(1_048_576))).status).toBe(201)
    const refused = await attach(new Uint8Array(1_048_577))
    expect([refused.status, refused.body]).toEqual([413, { message: '413 Request Entity Too Large' }])
    await people.server.root.put('/application/settings', { max_attachment_size: 100 })
  })

  test('must be a file', async () => {
    const { path } = await newWiki()
    const missing = { error: 'file is missing', message: '400 (Bad request) "file" not given' }
    const invalid = { error: 'file is invalid', message: { file: ['is invalid'] } }
    const field = new FormData()
    field.append('file', 'text')
    for (const [given, body] of [
      [{}, missing],
      [undefined, missing],
      [new FormData(), missing],
      [{ file: '' }, missing],
      [field, invalid],
      [{ file: 'text' }, invalid],
      [{ file: { uploaded: true, path: '/etc/passwd', filename: 'x', sizeBytes: 1 } }, invalid],
    ] as const) {
      const answer = await people.developer.post(`${path}/attachments`, given)
      expect([answer.status, answer.body]).toEqual([400, body])
    }
  })

  test('is stored by parallel requests', async () => {
    const { project, path } = await newWiki()
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => people.developer.post(`${path}/attachments`, form(name, name))),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    for (const { body } of answers) {
      expect(await fileIn(`${project.full_path}.wiki`, body.file_path)).toBe(body.file_name)
    }
  })
})

test('belongs to group wikis as well', async () => {
  const group = await makeWikiGroup(people, 'attached')
  const { status, body } = await people.developer.post(`/groups/${group.id}/wikis/attachments`, form('x.txt', 'x'))
  expect(status).toBe(201)
  expect(await fileIn('attached.wiki', body.file_path)).toBe('x')
  expect((await people.reporter.post(`/groups/${group.id}/wikis/attachments`, form('x', 'x'))).status).toBe(403)
})
