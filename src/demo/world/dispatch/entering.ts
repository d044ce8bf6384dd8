import { added as add, type Pushed } from '../../world-types.ts'

const manifest = `{
  "name": "dispatch",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test", "start": "node src/server.ts" }
}
`

const pipeline = `test:
  image: node:24-slim
  script:
    - npm ci
    - npm test
`

const form = `import { parseTime } from './time.ts'

/** What a dispatcher has typed about one sailing. */
export type Entry = { boat: string; stop: string; time: string }

/** The mistakes of an entry, by field. An empty object means that it can be saved. */
export function mistakesOf({ boat, stop, time }: Entry): Partial<Record<keyof Entry, string>> {
  return {
    ...(boat === '' ? { boat: 'Which boat sails?' } : {}),
    ...(stop === '' ? { stop: 'From where?' } : {}),
    ...(parseTime(time) === null ? { time: 'Write a time such as 7:45' } : {}),
  }
}
`

const time = `/** Minutes since midnight of what somebody typed: 7:45, 745, 7.45. */
export function parseTime(text: string): number | null {
  const found = /^(\\d{1,2})[:.]?(\\d{2})$/.exec(text.trim())
  if (!found) return null
  const [hours, minutes] = [Number(found[1]), Number(found[2])]
  return hours < 24 && minutes < 60 ? hours * 60 + minutes : null
}
`

const timeTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTime } from '../src/time.ts'

test('reads times as people write them', () => {
  for (const text of ['7:45', '07:45', '745', '7.45']) assert.equal(parseTime(text), 465)
})
`

const style = `form { display: grid; gap: 1rem; max-inline-size: 40rem }
label { font-weight: 600 }
input { font: inherit; padding: .5rem }
`

/** The first month: entering sailings. */
export const entering: readonly Pushed[] = [
  [
    '112d 9:10',
    'ines',
    'Begin with a form for one sailing',
    {
      'README.md': '# Dispatch\n\nThe desk at which dispatchers enter sailings and say that boats are late.\n',
      'package.json': manifest,
      'src/form.ts': form,
      'src/time.ts': time,
    },
  ],
  ['112d 10:40', 'ines', 'Test how times are read', { 'test/time.test.ts': timeTest }],
  [
    '112d 13:15',
    'ines',
    'Refuse minutes above 59',
    {
      'test/time.test.ts': add(
        "\ntest('refuses times that do not exist', () => {\n  for (const text of ['7:60', '24:00', '7', 'noon']) assert.equal(parseTime(text), null)\n})\n",
      ),
    },
  ],
  ['112d 15:30', 'ines', 'Lay the form out', { 'src/style.css': style }],
  ['111d 9:05', 'ines', 'Test what each commit brings', { '.gitlab-ci.yml': pipeline }],
  [
    '111d 11:20',
    'ines',
    'Show mistakes beside the field',
    { 'src/style.css': add('[aria-invalid="true"] { border-color: #c0392b }\n.mistake { color: #c0392b }\n') },
  ],
  [
    '110d 9:45',
    'ines',
    'Keep what was typed after a mistake\n\nA dispatcher lost twelve sailings on the first day (#1).',
    {
      'src/draft.ts':
        "/** What is typed stays in the browser until it is saved. */\nexport const draftOf = (storage: Storage) => ({\n  read: () => JSON.parse(storage.getItem('draft') ?? '{}'),\n  write: (entry: object) => storage.setItem('draft', JSON.stringify(entry)),\n  forget: () => storage.removeItem('draft'),\n})\n",
    },
  ],
  ['110d 14:10', 'ines', 'Say how to start it', { 'README.md': add('\n## Start\n\n```sh\nnpm start\n```\n') }],
  [
    '108d 10:00',
    'tomas',
    'Serve pages with a policy for contents',
    {
      'src/server.ts':
        "import { createServer } from 'node:http'\n\nconst policy = \"default-src 'self'; frame-ancestors 'none'\"\n\ncreateServer((request, response) => {\n  response.setHeader('Content-Security-Policy', policy)\n  response.end('Dispatch')\n}).listen(8090)\n",
    },
  ],
  [
    '108d 11:30',
    'tomas',
    'Answer 404 for other paths',
    {
      'src/server.ts': [
        [
          "  response.end('Dispatch')",
          "  if (request.url !== '/') {\n    response.statusCode = 404\n    response.end('There is no such page')\n    return\n  }\n  response.end('Dispatch')",
        ],
      ],
    },
  ],
  [
    '108d 16:45',
    'tomas',
    'Take the port from the environment',
    { 'src/server.ts': [['listen(8090)', 'listen(Number(process.env.PORT ?? 8090))']] },
  ],
  [
    '105d 9:20',
    'ines',
    'Copy the sailings of another day',
    {
      'src/copy.ts':
        "import type { Entry } from './form.ts'\n\n/** The sailings of a day, as a beginning for another one. */\nexport const copyOf = (day: readonly Entry[]): Entry[] => day.map((entry) => ({ ...entry }))\n",
    },
  ],
  [
    '105d 11:00',
    'ines',
    'Leave cancelled sailings out of the copy (#4)',
    {
      'src/copy.ts': [
        ['day.map((entry) => ({ ...entry }))', "day.filter(({ boat }) => boat !== '').map((entry) => ({ ...entry }))"],
      ],
    },
  ],
  [
    '104d 10:25',
    'ines',
    'Test the copy of a day',
    {
      'test/copy.test.ts':
        "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { copyOf } from '../src/copy.ts'\n\ntest('a copy has no sailing without a boat', () => {\n  assert.deepEqual(copyOf([{ boat: '', stop: 'Skarv', time: '7:45' }]), [])\n})\n",
    },
  ],
  [
    '103d 15:50',
    'ines',
    'Name the keys of the form',
    { 'docs/keys.md': '# Keys\n\n| key | does |\n|---|---|\n| Enter | saves, and begins the next sailing |\n' },
  ],
  [
    '101d 9:30',
    'yuki',
    'Use the colours of the kit',
    { 'src/style.css': [['.mistake { color: #c0392b }', '.mistake { color: var(--signal) }']] },
  ],
  [
    '101d 10:15',
    'yuki',
    'Give fields 44 pixels',
    { 'src/style.css': [['padding: .5rem', 'padding: .5rem; min-block-size: 2.75rem']] },
  ],
  [
    '100d 13:40',
    'yuki',
    'Set times in figures of one width',
    { 'src/style.css': add('input[name="time"] { font-variant-numeric: tabular-nums }\n') },
  ],
]
