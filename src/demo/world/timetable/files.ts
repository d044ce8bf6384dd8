/** The first texts of files; commits change parts of them later. */
export const readme = `# Timetable

The pages that passengers see: when the next boat leaves, from where, and whether it is late.

- Works on a quay with one bar of signal
- Works without JavaScript, and on paper
- One address for each stop, which never changes

## Start

\`\`\`sh
npm install
npm start
\`\`\`

It asks the [sailings service](/slipway/services/sailings) for its data. Without one it shows the sailings of \`fixtures/\`.
`

export const manifest = `{
  "name": "@slipway/timetable",
  "version": "0.1.0",
  "type": "module",
  "scripts": {
    "start": "node src/server.ts",
    "test": "node --test"
  }
}
`

export const sailing = `/** One crossing of a boat. Times are those of the clock at the stop, such as 07:45. */
export type Sailing = {
  from: string
  to: string
  boat: string
  leaves: string
  arrives: string
}

/** Sailings that leave a stop, earliest first. */
export function departures(sailings: readonly Sailing[], stop: string): Sailing[] {
  return sailings.filter(({ from }) => from === stop).sort((a, b) => (a.leaves < b.leaves ? -1 : 1))
}

/** The next sailing after a time of the day; undefined when the last boat has left. */
export function nextAfter(sailings: readonly Sailing[], time: string): Sailing | undefined {
  return sailings.find(({ leaves }) => leaves > time)
}
`

export const page = `import type { Sailing } from './sailing.ts'

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function row({ leaves, to, boat }: Sailing): string {
  return '<tr><td>' + leaves + '</td><td>' + escaped(to) + '</td><td>' + escaped(boat) + '</td></tr>'
}

/** The page of a stop. */
export function stopPage(stop: string, sailings: readonly Sailing[]): string {
  const rows = sailings.map(row).join('')
  return '<!doctype html><title>' + escaped(stop) + '</title><table>' + rows + '</table>'
}
`

export const server = `import { createServer } from 'node:http'
import { stopPage } from './page.ts'
import { departures } from './sailing.ts'
import { readSailings } from './source.ts'

const port = Number(process.env.PORT ?? 3000)

createServer(async (request, response) => {
  const stop = decodeURIComponent((request.url ?? '/').slice(1))
  const sailings = await readSailings()
  response.setHeader('Content-Type', 'text/html; charset=utf-8')
  response.end(stopPage(stop, departures(sailings, stop)))
}).listen(port)
`

export const source = `import { readFile } from 'node:fs/promises'
import type { Sailing } from './sailing.ts'

/** Reads all sailings of today. */
export async function readSailings(): Promise<Sailing[]> {
  return JSON.parse(await readFile('fixtures/today.json', 'utf8'))
}
`

export const fixtures = `[
  { "from": "Halmhavn", "to": "Oster", "boat": "Terna", "leaves": "06:30", "arrives": "07:10" },
  { "from": "Halmhavn", "to": "Skarv", "boat": "Lom", "leaves": "07:45", "arrives": "08:05" },
  { "from": "Oster", "to": "Halmhavn", "boat": "Terna", "leaves": "07:25", "arrives": "08:05" }
]
`

export const test = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { departures, nextAfter } from '../src/sailing.ts'

const sailing = (leaves: string, from = 'Halmhavn') => ({ from, to: 'Oster', boat: 'Terna', leaves, arrives: '23:59' })

test('departures of a stop are in the order of their times', () => {
  const all = [sailing('09:00'), sailing('07:30'), sailing('08:00', 'Skarv')]
  assert.deepEqual(departures(all, 'Halmhavn').map(({ leaves }) => leaves), ['07:30', '09:00'])
})

test('there is no next boat after the last one', () => {
  assert.equal(nextAfter([sailing('07:30')], '07:30'), undefined)
})
`

export const style = `body {
  font: 1.25rem/1.4 system-ui, sans-serif;
  margin: 0 auto;
  max-width: 40rem;
}

table {
  border-collapse: collapse;
  width: 100%;
}

td {
  border-bottom: 1px solid #ccc;
  padding: 0.5rem;
}
`

export const pipeline = `stages: [test, build, deploy]

default:
  image: node:24-slim

test:
  stage: test
  script:
    - npm ci
    - npm test

accessibility:
  stage: test
  script:
    - npm ci
    - npm run check:accessibility
  allow_failure: true

site:
  stage: build
  script:
    - npm run build
  artifacts:
    name: site
    paths: [public, report]
    expire_in: 1 year

production:
  stage: deploy
  script:
    - ./deploy.sh production
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
      when: manual
    - if: $CI_COMMIT_TAG
      when: manual
`

export const print = `import type { Sailing } from './sailing.ts'

/** The hours of a printed page, each with the minutes at which a boat leaves. */
export function hoursOf(sailings: readonly Sailing[]): Map<string, string[]> {
  const hours = new Map<string, string[]>()
  for (const { leaves } of sailings) {
    const [hour = '', minute = ''] = leaves.split(':')
    const minutes = hours.get(hour)
    if (minutes) minutes.push(minute)
    else hours.set(hour, [minute])
  }
  return hours
}
`
