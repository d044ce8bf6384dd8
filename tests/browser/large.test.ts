/** Pages about large things are small, and the reader gets to the end by their links. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { growthMib } from '../../bench/footprint.ts'
import { browserOf, readText } from '../../src/console/testing.ts'
import { type PageServer, password, startPageServer } from './browser.ts'
import { makeAs } from './filled/making.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

/** No page has more bytes. */
const mostBytes = 3_000_000
/** Nor does the server grow by more while it writes them: it holds neither the log nor the diff. */
const mostMib = 150

let server: PageServer
let reader: ReturnType<typeof browserOf>
let project: { id: number }
beforeAll(async () => {
  server = await startPageServer()
  reader = browserOf(server.url)
  await reader.signIn('root', password)
  project = await makeAs(server.root)('/projects', { name: 'Large', initialize_with_readme: true })
})
afterAll(() => server?.stop())

const at = '/root/large/-'

/** Reads a page. @returns its HTML, and where its links lead by their texts */
async function open(path: string) {
  const { status, text: html } = await reader.get(path)
  expect([path, status]).toEqual([path, 200])
  expect(html.length, path).toBeLessThan(mostBytes)
  const links = [...html.matchAll(/<a (?:[^>]* )?href="([^"]*)"[^>]*>([^<]+)<\/a>/g)]
  return { html, links: new Map(links.map(([, href, label = '']) => [label.trim(), readText(href)])) }
}

/** Follows a link as long as pages have it. @returns the last page, and how many there are */
async function followAll(path: string, label: string) {
  let page = await open(path)
  let count = 1
  for (let next = page.links.get(label); next !== undefined; next = page.links.get(label)) {
    page = await open(next)
    count += 1
  }
  return { ...page, count }
}

/** Runs a job, which writes a log of these blocks. @returns the address of its page */
async function runJob(runner: { token: string }, blocks: readonly string[]): Promise<string> {
  const program = server.as('')
  const { id, token } = await vi.waitFor(
    async () => {
      const { status, body } = await program.post('/jobs/request', { token: runner.token })
      expect(status).toBe(201)
      return body
    },
    { timeout: 60_000 },
  )
  let written = 0
  for (const block of blocks) {
    const range = `${written}-${written + block.length - 1}`
    const headers = { 'JOB-TOKEN': token, 'Content-Range': range, 'Content-Type': 'text/plain' }
    expect((await program.patch(`/jobs/${id}/trace`, block, { headers })).status).toBe(202)
    written += block.length
  }
  expect((await program.put(`/jobs/${id}`, { token, state: 'success' })).status).toBe(200)
  return `${at}/jobs/${id}`
}

/** Reads the last part of a log, the first one with all of its lines, the second one, and the lines with a text. */
async function readLog(address: string) {
  const last = await open(address)
  const first = await open(last.links.get('First') ?? '')
  expect(first.links.get('Last')).toBe(address)
  const lines = await followAll(`${address}?part=1`, 'Lines after')
  const second = await open(lines.links.get('After') ?? '')
  const found = await open(`${address}?find=${encodeURIComponent('the last line')}`)
  return { last, lines, second, found }
}

test('a log of 100 MB is read in parts, from the first line to the last', async () => {
  const make = makeAs(server.root)
  const runner = await make('/user/runners', { runner_type: 'project_type', project_id: project.id })
  const config = { branch: 'main', content: 'one: {script: a}\ntwo: {script: a}', commit_message: 'CI' }
  await make(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, config)
  const block = '0123456\n'.repeat(1_000_000)
  // What the first pages take is not what a large log takes.
  await readLog(await runJob(runner, [block]))
  const line = 30_000
  const marked = `${block.slice(0, (line - 1) * 8)}needle!\n${block.slice(line * 8)}`
  const address = await runJob(runner, [marked, ...Array<string>(11).fill(block), 'the last line\n'])
  const grown = await growthMib(server.pid, async () => {
    const { last, lines, second, found } = await readLog(address)
    expect(last.html.includes('the last line')).toBe(true)
    // 500,000 bytes of 8 bytes a line, 20,000 lines a page.
    expect([lines.count, lines.html.includes('id="L62500"')]).toEqual([4, true])
    expect(second.html.includes('Part 2 of 193')).toBe(true)
    expect(found.html.includes('193:')).toBe(true)
    const needle = (await open(`${address}?find=needle`)).links.get(String(line))
    expect(needle).toBe(`${address}?part=1&lines=2#L${line}`)
    expect((await open(needle ?? '')).html).toContain('needle!')
  })
  expect(grown).toBeLessThan(mostMib)
})

test('a commit of 5,000 files is read in pages, from the first file to the last', async () => {
  const path = (index: number) => `folder-${10 + Math.floor(index / 100)}/file-${1_000 + index}.txt`
  const content = `${'a line of the file\n'.repeat(20)}`
  const actions = Array.from({ length: 5_000 }, (_, index) => ({ action: 'create', file_path: path(index), content }))
  const make = makeAs(server.root)
  const given = { branch: 'many', start_branch: 'main', commit_message: 'Many files', actions }
  const { id: sha } = await make(`/projects/${project.id}/repository/commits`, given)
  const request = { source_branch: 'many', target_branch: 'main', title: 'Many files' }
  await make(`/projects/${project.id}/merge_requests`, request)
  const grown = await growthMib(server.pid, async () => {
    const { html, count } = await followAll(`${at}/commit/${sha}`, 'More files')
    expect([count, html.includes(path(4_999))]).toEqual([50, true])
    const compared = await open(`${at}/compare/main...many`)
    expect(compared.html.includes('a part of it is left out')).toBe(true)
    const changes = `${at}/merge_requests/1/diffs`
    const shown = await followAll(changes, 'Next')
    expect([shown.count, shown.html.includes(path(4_999))]).toEqual([100, true])
  })
  expect(grown).toBeLessThan(mostMib)
})
