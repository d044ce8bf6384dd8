import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Actor, anonymous } from '../../api/index.ts'
import { renderMarkdown } from '../../infra/markdown/index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { renderTexts } from './page-texts.ts'

let server: TestServer
let owner: Person
let guest: Person
let place: { projectId: number; groupId: null }
let path: string
let at: string

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('writer')
  guest = await server.user('reader')
  const project = await server.make.project('written', owner)
  await server.make.member({ project }, guest, 10)
  place = { projectId: project.id, groupId: null }
  path = `/${project.full_path}/-`
  at = `/projects/${project.id}`
  for (const given of [{ title: 'One' }, { title: 'Two', confidential: true }]) {
    expect((await owner.post(`${at}/issues`, given)).status).toBe(201)
  }
})
afterAll(() => server?.stop())

async function actorOf({ token: text }: Person): Promise<Actor> {
  const { platform } = server.app
  return platform.ports['request.authenticate'](platform, { carrier: 'private', text })
}

/** What a person sees of texts of the project. */
async function shownTo(person: Person | null, ...texts: string[]): Promise<string[]> {
  return renderTexts(
    server.app.platform,
    person ? await actorOf(person) : anonymous,
    place,
    texts.map((text) => (options) => renderMarkdown(text, options)),
  )
}
const linksOf = (html = '') => [...html.matchAll(/<a href="([^"]*)"/g)].map(([, address]) => address)

test('references of all texts are links for those who may read what they are to', async () => {
  await owner.post(`${at}/labels`, { name: 'in work', color: '#f00' })
  const { id: milestone } = (await owner.post(`${at}/milestones`, { title: 'v1' })).body
  const snippet = { title: 's', file_name: 'a.txt', content: 'a', visibility: 'private' }
  const { id: snippetId } = (await owner.post(`${at}/snippets`, snippet)).body
  const texts = ['#1 and #2, #99, writer/written#1, no/where#1', `~"in work" ~none %v1 %v2 $${snippetId} @reader @none`]
  const [first, second] = await shownTo(owner, ...texts)
  expect(linksOf(first)).toEqual([`${path}/issues/1`, `${path}/issues/2`, `${path}/issues/1`])
  expect(linksOf(second)).toEqual([
    ...[
      `${path}/issues?labels=in%20work`,
      `${path}/milestones/${milestone}`,
      `${path}/snippets/${snippetId}`,
      '/reader',
    ],
  ])
  const [ofGuest] = await shownTo(guest, ...texts)
  expect(linksOf(ofGuest)).toEqual([`${path}/issues/1`, `${path}/issues/1`])
  expect(ofGuest).toContain(' and #2, #99,')
  expect((await shownTo(null, ...texts)).flatMap(linksOf)).toEqual(['/reader'])
})

test('a thousand references cost as many queries as one of each kind', async () => {
  const { database } = server.app.platform
  const actor = await actorOf(owner)
  const least = async (text: string) => {
    const counts: number[] = []
    while (counts.length < 5) {
      const before = database.queryCount()
      await renderTexts(server.app.platform, actor, place, [(options) => renderMarkdown(text, options)])
      counts.push(database.queryCount() - before)
    }
    return Math.min(...counts)
  }
  const lines = (form: (number: number) => string) => Array.from({ length: 120 }, (_, number) => form(number + 1))
  const forms = [
    (n: number) => `#${n}`,
    (n: number) => `!${n}`,
    (n: number) => `&${n}`,
    (n: number) => `g${n}/p#1`,
    (n: number) => `@user${n}`,
  ]
  const others = [(n: number) => `~l${n}`, (n: number) => `%m${n}`, (n: number) => `$${n}`]
  const all = [...forms, ...others]
  const one = await least(all.map((form) => form(1)).join('\n\n'))
  expect(await least(all.flatMap(lines).join('\n\n'))).toBe(one)
  const many = Array.from({ length: 1_500 }, () => '#1').join(' ')
  const [html] = await shownTo(owner, many)
  expect(linksOf(html)).toHaveLength(1_500)
  const most = Array.from({ length: 1_200 }, (_, number) => `#${1_200 - number}`).join('\n\n')
  // Of those that differ, the first thousand.
  expect(linksOf((await shownTo(owner, most))[0])).toEqual([])
})

describe('trackers elsewhere', () => {
  const tracker = (issues_url: string) => ({
    project_url: 'https://t.example/',
    new_issue_url: 'https://t.example/n',
    issues_url,
  })

  test('are linked by the settings of the project', async () => {
    await owner.put(`${at}/integrations/custom-issue-tracker`, tracker('https://t.example/:id?a="<b>'))
    const [html] = await shownTo(guest, 'ABC-1 #1 #2 `ABC-2`')
    expect(linksOf(html)).toEqual(['https://t.example/ABC-1?a=&quot;&lt;b&gt;', `${path}/issues/1`])
    await owner.delete(`${at}/integrations/custom-issue-tracker`)
    expect(linksOf((await shownTo(guest, 'ABC-1'))[0])).toEqual([])
  })
})

test('hostile texts get no link of their own making', async () => {
  const text = [
    '[a](reference-00000000-0000-0000-0000-000000000000:0) <a href="reference-x:0">b</a> #1',
    '~"<img src=x onerror=alert(1)>" %"</a><script>" @<b>',
    `[#1](javascript:alert(1)) ${'#'.repeat(5_000)}1 ${'@a/'.repeat(2_000)}`,
    '$&#1 $1 \\u0000 ￿ #1<!-- -->',
  ].join('\n\n')
  await owner.post(`${at}/labels`, { name: '<img src=x onerror=alert(1)>', color: '#f00' })
  const [html = ''] = await shownTo(owner, text)
  expect(html).not.toMatch(/<img|<script|href="javascript|<a href="reference-[^0]/)
  expect(linksOf(html)).toContain(`${path}/issues/1`)
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;</a>')
})
