import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendTrace } from '../../../../modules/pipelines/index.ts'
import { linksIn } from '../../code/testing.ts'
import { type Builds, script, startBuilds, takeJob } from '../testing.ts'
import { writeLog } from './log.tsx'
import { partBytes } from './parts.ts'

const esc = '\u001b'

test('lines, colours and sections become elements; what a log has of HTML is text', () => {
  const { html, lines, classes, steps } = writeLog(
    [
      `${esc}[31m${script}${esc}[0m "&'`,
      'section_start:10:"><b>\rno section',
      'section_start:10:a.b-c[collapsed=true]\rTitle',
      'section_start:11:inner\r',
      'deep',
      'section_end:75:a.b-c\rafter',
      'section_end:80:none\r',
      'section_start:90:open\r',
      `2024-05-22T12:43:46.962646Z 00O ${esc}[1mtimed`,
      '',
    ].join('\n'),
  )
  const number = (line: number) => `<a class="no" href="#L${line}">${line}</a>`
  const head = (line: number, title: string) =>
    `<summary id="L${line}"><span class="no">${line}</span><span>${title}</span>`
  expect(html.text).toBe(
    [
      `<p id="L1">${number(1)}<span><span class="f1">&lt;script&gt;alert(1)&lt;/script&gt;</span> &quot;&amp;&#39;</span></p>`,
      `<p id="L2">${number(2)}<span>no section</span></p>`,
      `<details class="section" data-section="a.b-c">${head(3, 'Title')}<small>1 min 05 s</small></summary>`,
      `<details class="section" data-section="inner" open>${head(4, 'inner')}<small>1 min 04 s</small></summary>`,
      `<p id="L5">${number(5)}<span>deep</span></p></details></details><p id="L6">${number(6)}<span>after</span></p>`,
      `<details class="section" data-section="open" data-begun="90" open>${head(8, 'open')}</summary>`,
      `<p id="L9">${number(9)}<span class="clock" title="2024-05-22T12:43:46.962646Z">12:43:46</span>`,
      '<span><span class="bold">timed</span></span></p></details>',
    ].join(''),
  )
  expect([lines, classes, steps]).toEqual([9, 'bold', 1])
})

test('a bounded number of lines of a part is shown at once, with their numbers and the colours before them', () => {
  const text = `${esc}[31m${'x\n'.repeat(45_000)}`
  const numbersOf = (html: string) => [...html.matchAll(/id="L(\d+)"/g)].map(([, number]) => Number(number))
  for (const [wanted, step, first, last] of [
    [1, 1, 1, 20_000],
    [2, 2, 20_001, 40_000],
    [99, 3, 40_001, 45_000],
    [undefined, 3, 40_001, 45_000],
  ] as const) {
    const { html, ...written } = writeLog(text, wanted)
    expect(written).toEqual({ lines: last, classes: 'f1', step, steps: 3 })
    const numbers = numbersOf(html.text)
    expect([numbers[0], numbers.at(-1), numbers.length]).toEqual([first, last, last - first + 1])
    expect(html.text).toContain('<span class="f1">x</span>')
  }
})

let builds: Builds
let address: string
let write: (text: string, at: number) => Promise<void>
beforeAll(async () => {
  builds = await startBuilds()
  const { server, project } = builds
  const { id } = await takeJob(builds, '')
  address = `/owner/demo/-/jobs/${id}`
  write = async (text, at) => {
    const appended = await appendTrace(server.app.platform, { id, project_id: project.id }, at, Buffer.from(text))
    expect(appended.outcome).toBe('appended')
  }
})
afterAll(() => builds.server.stop())

const linesOf = (html: string) =>
  [...html.matchAll(/<p id="L(\d+)">.*?<span>(.*?)<\/span><\/p>/g)].map(([, no, text]) => [no, text])

test('a long log has parts of whole lines, each with its own numbers; a search names both', async () => {
  const { browser } = builds.owner
  // 25 bytes a line, so that the first part ends between two lines; the second ends within one.
  const line = (index: number) => `line ${String(index).padStart(9, '0')} ${'.'.repeat(9)}\n`
  const first = Array.from({ length: partBytes / 25 }, (_, index) => line(index)).join('')
  const second = `x${Array.from({ length: partBytes / 25 }, (_, index) => line(index + 100_000)).join('')}`
  await write(first, 0)
  await write(`${second}Ünd ${esc}[31mneedle${esc}[0m <b>\nend`, first.length)
  const last = await browser.get(address)
  expect(last.html).toContain('Part 3 of 3')
  expect(linesOf(last.html)).toEqual(
    [['1', 'Ünd <span class="f1">needle</span> &lt;b&gt;']].map(([no]) => [no, expect.any(String)]),
  )
  expect(linksIn(last.html)).toEqual(expect.arrayContaining([`${address}?part=1`, `${address}?part=2`]))
  const one = linesOf((await browser.get(`${address}?part=1`)).html)
  expect([one.length, one[0], one.at(-1)?.[0]]).toEqual([20_000, ['1', line(0).trim()], '20000'])
  const two = linesOf((await browser.get(`${address}?part=2`)).html)
  expect([two.length, two[0], two.at(-1)]).toEqual([
    ...[20_000, ['1', `x${line(100_000).trim()}`], ['20000', line(119_999).trim()]],
  ])
  expect((await browser.get(`${address}?part=99`)).html).toContain('Part 3 of 3')
  const search = async (text: string) => (await browser.get(`${address}?find=${encodeURIComponent(text)}`)).html
  expect(await search('no such text')).toContain('No line has this text.')
  const needle = await search('NEEDLE')
  expect(needle).toContain('Ünd needle &lt;b&gt;')
  expect(linksIn(needle)).toContain(`${address}?part=3#L1`)
  expect(linksIn(await search('line 000100000'))).toContain(`${address}?part=2#L1`)
  expect(linksIn(await search('line 000100007'))).toContain(`${address}?part=2#L8`)
  expect(await search('line')).toContain('the first 200 lines')
  expect(await search(script)).not.toContain(script)
})

test('of a log of 100 MB a page reads and shows a part, in little memory', async () => {
  const { server, owner } = builds
  const { objects } = server.app.platform
  const before = await owner.browser.get(address)
  let at = Number(/data-byte="(\d+)"/.exec(before.html)?.[1]) + 'end'.length
  const block = `${'y'.repeat(99)}\n`.repeat(100_000)
  for (let count = 0; count < 9; count += 1) {
    await write(block, at)
    at += block.length
  }
  expect(at).toBeGreaterThan(90_000_000)
  const get = objects.get.bind(objects)
  let readBytes = 0
  objects.get = async (key, options) => {
    const opened = await get(key, options)
    readBytes += opened?.lengthBytes ?? 0
    return opened
  }
  const { status, html } = await owner.browser.get(address)
  objects.get = get
  expect([status, html.length < 3_000_000]).toEqual([200, true])
  expect(readBytes).toBeLessThan(2 * partBytes)
  expect(html).toMatch(/Part (\d+) of \1/)
})
