/** What is pushed to the project of the pictures: by whom, when, with which words, and the files. */
export type Change = {
  by: 'ada' | 'jonas' | 'mei'
  at: string
  message: string
  branch?: string
  files: Record<string, string>
}

const readme = `# Tidewatch

Water levels of the next days for small harbours, from open gauge data.

- **Forecasts** for 48 hours, every ten minutes
- **Warnings** by mail before a harbour falls dry
- **No account**: a harbour is an address

## Start

\`\`\`sh
npm install
npm start -- --gauge husum
\`\`\`

| gauge | mean high | mean low |
|---|---:|---:|
| Husum | 8.31 m | 4.87 m |
| Büsum | 6.74 m | 3.32 m |

## How it works

Levels are the sum of the harmonic constituents of a gauge, corrected by what was measured during the last hour.
`

const tides = (correction: string) => `import type { Constituent, Gauge, Level } from './types.ts'

const degrees = Math.PI / 180
const hour = 3_600_000

/** The height that one constituent adds at a moment. */
function heightOf({ amplitude, speed, phase }: Constituent, at: Date): number {
  const hours = (at.getTime() - Date.UTC(2000, 0, 1)) / hour
  return amplitude * Math.cos((speed * hours - phase) * degrees)
}

/** Levels of a gauge from \`start\` on, every ten minutes. */
export function* levels(gauge: Gauge, start: Date, hours = 48): Generator<Level> {
  for (let minutes = 0; minutes <= hours * 60; minutes += 10) {
    const at = new Date(start.getTime() + minutes * 60_000)
    const height = gauge.constituents.reduce((sum, one) => sum + heightOf(one, at), gauge.mean)
${correction}
  }
}

/** The moments at which the water stands highest and lowest. */
export function turns(all: readonly Level[]): Level[] {
  return all.filter(({ height }, index) => {
    const [before, after] = [all[index - 1]?.height ?? height, all[index + 1]?.height ?? height]
    return (height > before && height >= after) || (height < before && height <= after)
  })
}
`

const plain = '    yield { at, height }'
const corrected = `    // A storm raises the water for some hours: what was measured fades out.
    const share = Math.max(0, 1 - minutes / 720)
    yield { at, height: height + gauge.surge * share }`

const types = (more: string) => `/** One wave of the many that make a tide. */
export type Constituent = { name: string; amplitude: number; speed: number; phase: number }

export type Gauge = {
  name: string
  /** Height above the zero of the gauge, in metres. */
  mean: number
  constituents: readonly Constituent[]
${more}}

export type Level = { at: Date; height: number }
`

const config = `stages: [check, test, build, deploy]

default:
  image: node:24

lint:
  stage: check
  script: npm run lint

unit:
  stage: test
  needs: [lint]
  script: npm run unit

browser:
  stage: test
  needs: [lint]
  script: npm run browser

package:
  stage: build
  needs: [unit, browser]
  script: npm run package
  artifacts:
    paths: [dist]

container:
  stage: build
  needs: [unit]
  script: npm run container

staging:
  stage: deploy
  needs: [package, container]
  script: npm run deploy

production:
  stage: deploy
  needs: [package, container]
  script: npm run deploy
  when: manual
`

const page = `<!doctype html>
<title>Tidewatch</title>
<main id="levels"></main>
<script type="module" src="/main.js"></script>
`

const manifest = (version: string) =>
  `${JSON.stringify({ name: 'tidewatch', version, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`

const test = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turns } from '../src/tides.ts'

test('water turns where it stands highest', () => {
  const all = [1, 2, 3, 2, 1].map((height, index) => ({ at: new Date(index), height }))
  assert.deepEqual(turns(all).map(({ height }) => height), [3])
})
`

/** The history, oldest first. */
export const changes: readonly Change[] = [
  {
    by: 'ada',
    at: '2026-03-02T08:10:00Z',
    message: 'Describe what this is for',
    files: { 'README.md': readme, LICENSE: 'MIT License\n', 'package.json': manifest('0.1.0') },
  },
  {
    by: 'ada',
    at: '2026-03-02T10:45:00Z',
    message: 'Add up the constituents of a gauge',
    files: { 'src/types.ts': types(''), 'src/tides.ts': tides(plain) },
  },
  {
    by: 'jonas',
    at: '2026-03-03T09:20:00Z',
    message: 'Show levels in the browser',
    files: { 'public/index.html': page, 'public/main.js': "document.title = 'Tidewatch'\n" },
  },
  {
    by: 'mei',
    at: '2026-03-05T13:05:00Z',
    message: 'Test where the water turns\n\nThe first and the last level have only one neighbour.',
    files: { 'test/tides.test.ts': test },
  },
  {
    by: 'jonas',
    at: '2026-03-09T07:30:00Z',
    message: 'Run the tests for every push',
    files: { '.gitlab-ci.yml': config },
  },
  {
    by: 'ada',
    at: '2026-03-10T15:40:00Z',
    message: 'Release 0.2.0',
    files: { 'package.json': manifest('0.2.0') },
  },
  {
    by: 'mei',
    at: '2026-03-12T09:15:00Z',
    message: 'Correct forecasts by what was measured\n\nA storm raises the water for some hours. See #2.',
    branch: 'surge',
    files: {
      'src/tides.ts': tides(corrected),
      'src/types.ts': types('  /** How much higher the water stands than forecast. */\n  surge: number\n'),
    },
  },
  {
    by: 'jonas',
    at: '2026-03-12T11:50:00Z',
    message: 'Explain the surge in the README',
    branch: 'surge',
    files: { 'README.md': `${readme}A surge fades out within twelve hours.\n` },
  },
]
